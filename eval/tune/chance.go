package tune

import (
	"math"
	"math/rand/v2"
)

// gamma draws from the gamma distribution with this shape, above 0, and rate 1.
func gamma(shape float64, rng *rand.Rand) float64 {
	switch {
	case shape == 1:
		return rng.ExpFloat64()
	case shape < 0.2:
		return smallGamma(shape, rng)
	}
	// Marsaglia, Tsang, A simple method for generating gamma variables, TOMS 26.3, 2000.
	d, m := shape-1.0/3, 1.0
	if shape < 1 {
		d++
		m = math.Pow(rng.Float64(), 1/shape)
	}
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := rng.NormFloat64()
		v := 1 + x*c
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := rng.Float64()
		if u < 1-0.0331*(x*x)*(x*x) || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v)) {
			return m * d * v
		}
	}
}

// smallGamma is gamma for shapes near 0, for which the usual method rejects most draws: Liu,
// Martin, Syring, Simulating from a gamma distribution with small shape parameter, 2015.
func smallGamma(shape float64, rng *rand.Rand) float64 {
	lambda := 1/shape - 1
	lr := -math.Log1p(1 / lambda / math.E)
	for {
		z := rng.ExpFloat64() + lr
		if z < 0 {
			z = -rng.ExpFloat64() / lambda
		}
		drawn := math.Exp(-z / shape)
		bound := -z
		if z < 0 {
			bound = -1 + lambda*z
		}
		if -z-drawn-bound > -rng.ExpFloat64() {
			return drawn
		}
	}
}

// poisson draws from the Poisson distribution with this mean; 0 unless that is above 0.
func poisson(mean float64, rng *rand.Rand) float64 {
	if !(mean > 0) {
		return 0
	}
	if mean < 10 { // arrivals until the mean is used up
		n := 0.0
		for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
			n++
		}
		return n
	}
	// Algorithm PTRS of Hoermann, The transformed rejection method for generating Poisson random
	// variables, Insurance: Mathematics and Economics 12.1, 1993.
	b := 0.931 + 2.53*math.Sqrt(mean)
	a := -0.059 + 0.02483*b
	inverse := 1.1239 + 1.1328/(b-3.4)
	accept := 0.9277 - 3.6224/(b-2)
	for {
		u := rng.Float64() - 0.5
		v := rng.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + mean + 0.43)
		if us >= 0.07 && v <= accept {
			return max(k, 0)
		}
		if k <= 0 || us < 0.013 && v > us {
			continue
		}
		lg, _ := math.Lgamma(k + 1)
		if math.Log(v*inverse/(a/(us*us)+b)) <= k*math.Log(mean)-mean-lg {
			return k
		}
	}
}
