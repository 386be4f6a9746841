//go:build !amd64

package perceptron

import "github.com/recrawl/recrawl/estimator/logodds"

func weigh(sums *[blockUnits]float32, x []float32, weights [][blockUnits]float32) {
	weighPlainly(sums, x, weights)
}

func (f *Fast) ask(columns []logodds.Column, sums *logodds.Column) { f.askPlainly(columns, sums) }
