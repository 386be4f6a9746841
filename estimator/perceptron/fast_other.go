//go:build !amd64

package perceptron

func weigh(sums *[blockUnits]float32, x []float32, weights [][blockUnits]float32) {
	weighPlainly(sums, x, weights)
}
