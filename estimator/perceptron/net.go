package perceptron

import "fmt"

// Form is the scale on which a net sees a number. Logarithms are those of base 2, exact at its
// powers and straight between them: a net is learnt with what it is asked with, so more would cost
// and bring nothing.
type Form uint8

const (
	Plain   Form = iota // as it is
	Count               // log of 1 more, of what is 0 or more
	Rate                // log, of what is from 0.0001 to 20
	Odds                // log of the odds, of a share
	Missing             // whether it is below 0, which says that nothing is known
	forms
)

// Input is a feature as a net sees it.
type Input struct {
	Feature uint8   `json:"f"`
	Form    Form    `json:"form"`
	Mean    float32 `json:"mean"`  // of what it was learnt from, on the scale of Form
	Factor  float32 `json:"times"` // 1 / deviation
}

// cut bounds inputs, in deviations.
const cut = 4

// of a row: the input's value, within cut.
func (in *Input) of(row []float32) float32 {
	x := (in.Form.of(row[in.Feature]) - in.Mean) * in.Factor
	if x != x {
		return 0 // an infinite number times 0
	}
	return within(x, -cut, cut)
}

func (f Form) of(x float32) float32 {
	x = number(x)
	switch f {
	case Count:
		return log(max(x, 0) + 1)
	case Rate:
		return log(within(x, leastRate, mostRate))
	case Odds:
		x = within(x, leastOdds, 1-leastOdds)
		return log(x) - log(1-x)
	case Missing:
		if x < 0 {
			return 1
		}
		return 0
	}
	return x
}

// Limits of forms.
const (
	leastRate, mostRate = 1e-4, 20
	leastOdds           = 0.003
)

func within(x, least, most float32) float32 {
	switch {
	case x < least:
		return least
	case x > most:
		return most
	}
	return x
}

// log of base 2 of what is above 0: exact at its powers, straight between them.
func log(x float32) float32 {
	return float32(bits(x))*logOfBit - logOfOne
}

// Bits of a number count up in steps of its logarithm, from that of 1.
const (
	logOfBit = 1.0 / (1 << 23)
	logOfOne = 127
)

// Unit of the hidden layer.
type Unit struct {
	Bias    float32   `json:"bias"`
	Weights []float32 `json:"weights"` // by input
	Out     float32   `json:"out"`     // what it adds to the log odds, times its value
}

// Net is a perceptron of one hidden layer.
type Net struct {
	Features int     `json:"features"` // length of a row
	Start    float32 `json:"start"`    // log odds before any unit
	Inputs   []Input `json:"inputs"`
	Units    []Unit  `json:"units"`
}

// Most inputs and units of a net.
const (
	MaxInputs = 96
	MaxUnits  = 128
)

// Limits of what is learnt, beyond which answers could become no numbers.
const (
	mostFactor = 1e4
	mostWeight = 1e6
)

func abs(x float32) float32 { return max(x, -x) }

// Check reports what makes a net unusable.
func (n *Net) Check() error {
	if len(n.Inputs) > MaxInputs || len(n.Units) > MaxUnits {
		return fmt.Errorf(
			"%d inputs and %d units; at most %d and %d are read",
			len(n.Inputs),
			len(n.Units),
			MaxInputs,
			MaxUnits,
		)
	}
	for i, in := range n.Inputs {
		if int(in.Feature) >= n.Features || in.Form >= forms {
			return fmt.Errorf(
				"input %d is feature %d of %d in form %d of %d",
				i,
				in.Feature,
				n.Features,
				in.Form,
				forms,
			)
		}
		if !(in.Factor >= 0 && in.Factor <= mostFactor && abs(in.Mean) <= mostWeight) {
			return fmt.Errorf(
				"input %d has mean %g and factor %g: want a factor from 0 to %g",
				i,
				in.Mean,
				in.Factor,
				float32(mostFactor),
			)
		}
	}
	for i, u := range n.Units {
		if len(u.Weights) != len(n.Inputs) {
			return fmt.Errorf("unit %d has %d weights for %d inputs",
				i, len(u.Weights), len(n.Inputs))
		}
		for _, w := range append([]float32{u.Bias, u.Out, n.Start}, u.Weights...) {
			if !(abs(w) <= mostWeight) {
				return fmt.Errorf("unit %d has a weight of %g, more than was ever learnt", i, w)
			}
		}
	}
	return nil
}

// Mean is the net whose log odds are the mean of those of nets with the same inputs.
func Mean(nets []*Net) *Net {
	share := 1 / float32(len(nets))
	m := &Net{Features: nets[0].Features, Inputs: nets[0].Inputs}
	for _, n := range nets {
		m.Start += share * n.Start
		for _, u := range n.Units {
			u.Out *= share
			m.Units = append(m.Units, u)
		}
	}
	return m
}

// LogOdds of a row of Features numbers. Fast is for many rows.
func (n *Net) LogOdds(row []float32) float32 {
	inputs := n.inputs(row)
	sum := n.Start
	for i := range n.Units {
		u := &n.Units[i]
		sum += u.Out * max(u.at(&inputs), 0)
	}
	return sum
}

func (n *Net) inputs(row []float32) (x [MaxInputs]float32) {
	for i := range n.Inputs {
		x[i] = n.Inputs[i].of(row)
	}
	return x
}

// at is the weighted sum of a unit, before it is cut at 0.
func (u *Unit) at(inputs *[MaxInputs]float32) float32 {
	sum := u.Bias
	for i, w := range u.Weights {
		sum += w * inputs[i]
	}
	return sum
}

// Explain adds to each feature's place in contributions, of length Features, what the feature adds
// to the log odds of a row: the integral of its gradient on the straight way from all inputs at
// their means, which is exact here, since each unit is either off or straight. It returns what is
// left for no feature: the log odds at the means.
func (n *Net) Explain(row []float32, contributions []float32) (start float32) {
	inputs := n.inputs(row)
	start = n.Start
	for i := range n.Units {
		u := &n.Units[i]
		start += u.Out * max(u.Bias, 0)
		from, to := u.Bias, u.at(&inputs)
		on := float32(0) // part of the way on which the unit is above 0
		switch {
		case from >= 0 && to >= 0:
			on = 1
		case from > 0 || to > 0:
			on = max(from, to) / (max(from, to) - min(from, to))
		}
		for k := range n.Inputs {
			contributions[n.Inputs[k].Feature] += u.Out * on * u.Weights[k] * inputs[k]
		}
	}
	return start
}
