package estimator

import (
	"math"
	"math/bits"
)

// Signal counts the changes of the members of a site. It counts apart the weeks in which its tops
// changed, in which they did not, and without a visit to a top.
type Signal struct {
	seen, changed [3]float64
}

// Add counts a member by its masks of weeks and those of the tops (sitegraph.History.WeeksBefore).
func (s *Signal) Add(seen, changed, topsSeen, topsChanged uint32) {
	for state, weeks := range [3]uint32{seen & topsSeen &^ topsChanged, seen & topsChanged,
		seen &^ topsSeen} {
		s.seen[state] += float64(bits.OnesCount32(weeks))
		s.changed[state] += float64(bits.OnesCount32(weeks & changed))
	}
}

// LogLikelihood returns the log-likelihood of the members' outcomes in nats, at most 0. Each
// outcome is predicted from the earlier ones in weeks of the same kind, and from the mean of the
// whole server, in (0, 1), as one more outcome. This is the beta-binomial probability with that
// mean and prior strength 1, in any order. Of two divisions of a server into sites, the tops of the
// one with the larger sum predict changes better: its description of the past is shorter. Tops
// predict others, and nothing predicts tops. Count these by LogLikelihoodAlone, so that a division
// into single pages gains nothing.
func (s *Signal) LogLikelihood(mean float64) float64 {
	sum := 0.0
	for state, n := range s.seen {
		if n > 0 {
			sum += logBeta(mean+s.changed[state], 1-mean+n-s.changed[state]) - logBeta(mean, 1-mean)
		}
	}
	return sum
}

// Trust returns the share of members expected to have changed when a top has: the mean of the
// posterior under the prior of LogLikelihood.
func (s *Signal) Trust(mean float64) float64 { return (s.changed[1] + mean) / (s.seen[1] + 1) }

// LogLikelihoodAlone returns the log-likelihood of a page's outcomes predicted by the mean of its
// server, for a top or a page in no site.
func LogLikelihoodAlone(seen, changed uint32, mean float64) float64 {
	n, c := bits.OnesCount32(seen), bits.OnesCount32(changed)
	return float64(c)*math.Log(mean) + float64(n-c)*math.Log1p(-mean)
}

// TopLength returns the cost of stating that a page is a top, in nats: that of a parameter learnt
// from the weeks in which it was visited, ln(n) / 2 (Rissanen 1978).
func TopLength(seen uint32) float64 { return math.Log(float64(max(bits.OnesCount32(seen), 1))) / 2 }

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// Information returns how much a visit to one page reveals about another, in nats. It is the mutual
// information of their changes in the weeks with visits to both, minus its expected value for
// independent pages, 1/2n of n weeks (Miller 1955). It may be negative. It is 0 if they share no
// week, and less than that of independent pages if they change in turns.
func Information(seen1, changed1, seen2, changed2 uint32) float64 {
	both := seen1 & seen2
	n := bits.OnesCount32(both)
	if n == 0 {
		return 0
	}
	c1, c2 := bits.OnesCount32(changed1&both), bits.OnesCount32(changed2&both)
	c12 := bits.OnesCount32(changed1 & changed2 & both)
	bias := 1 / float64(2*n)
	if c12*n <= c1*c2 { // independent, or in turns: a change of one is no reason to visit the other
		return -bias
	}
	h := entropyTerm[n] - entropyTerm[c1] - entropyTerm[n-c1] - entropyTerm[c2] - entropyTerm[n-c2]
	h += entropyTerm[c12] + entropyTerm[c1-c12] + entropyTerm[c2-c12] + entropyTerm[n-c1-c2+c12]
	return h/float64(n) - bias
}

// entropyTerm[x] is x ln x.
var entropyTerm = func() (t [33]float64) {
	for x := 2; x < len(t); x++ {
		t[x] = float64(x) * math.Log(float64(x))
	}
	return t
}()
