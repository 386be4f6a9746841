package evidence

// AgeShare returns the share of the square of an age by which one more visit reduces the ages of
// copies. It is 1/2 + exp(-x) / x - (1 - exp(-x)) / x^2, where the probability is 1 - exp(-x). The
// age of a copy is the time since its page first differed from it (Cho and Garcia-Molina 2003).
func AgeShare(probability float32) float32 {
	p := min(max(probability, 0), 0.9999)
	x := -Log32(1 - p)
	if p < 0.25 {
		x = p * (1 + p*(1./2+p*(1./3+p*(1./4+p/5))))
	}
	if x < 2 { // by its series: the closed form magnifies the error of Log32
		return x * (1./3 - x*(1./8-x*(1./30-x*(1./144-x*(1./840-x*(1./5760-x/45360))))))
	}
	return 0.5 + (1-p)/x - p/(x*x)
}

// FreshShare returns the share of an age for which one more visit keeps a copy fresh. It is (1 - (1
// + x) * exp(-x)) / x within 1 %, where the probability is 1 - exp(-x).
func FreshShare(probability float32) float32 {
	p := min(max(probability, 0), 0.9999)
	if p < 0.25 { // the first terms of its series
		return p * (1./2 - p*(1./12+p*(1./24+p*(19./720))))
	}
	x := -Log32(1 - p)
	return (1 - (1+x)*(1-p)) / x
}

// Stays returns the probability that the content of a visit is still valid a lag later. It is
// exp(-r*lag), where the probability of a change since the last visit is 1 - exp(-r*age). A page
// visited every t days then has a fresh copy for exp(-r*lag) * (1 - exp(-r*t)) / r days of each
// visit. So the worth of a copy is to be multiplied by it.
func Stays(probability, age, lag float32) float32 {
	if !(lag > 0) || !(age > 0) {
		return 1
	}
	return Exp32(Log32(1-min(max(probability, 0), 0.9999)) * lag / age)
}
