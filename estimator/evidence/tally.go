package evidence

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// Tally compares what visits to a group of pages found with what was predicted of them. The group
// is a server, a site or another.
//
// It is the random effect of the group (a shared frailty: Vaupel, Manton, Stallard 1979): the part
// of its odds of change that no model can know before, as when part of the server was rebuilt.
// Where n visits found c changes and their predicted probabilities add up to e, the odds of the
// pages that were last visited before them are multiplied by
//
//	(c + a) / (e + a) * (n - e + a) / (n - c + a)
//
// That is the ratio of observed to predicted odds, shrunk toward 1 by a changes, and as many visits
// without one, that came as predicted. The predictions are those of the experts and of claims,
// before this factor and before calibration.
//
// For a site, e is what was to be expected after the factor of its server, so that it says what
// the server does not.
//
// Tallies are kept with the memory of the planner.
type Tally struct {
	start float32  // of the first span, in days
	spans []Counts // ascending
}

// Counts are the visits that tell of a span of days up to end, how many of them found a change, and
// how many were expected to. A visit that tells of several spans counts in parts.
type Counts struct{ end, Visits, Changed, Expected float32 }

const (
	// mostEffect bounds each factor and their product, and its inverse.
	mostEffect = 20
	// tallySpans bounds memory, 16 bytes each; a span is a day long, or as long as a shorter round,
	// or longer where that is long ago.
	tallySpans = 16
)

// See adds a visit on day to of a page whose copy was of day from, which was expected to find a
// change with some probability. It counts for the days since that copy, most for those on which the
// group is known to have changed (part). For after a server was rebuilt, visits go on to find pages
// that nobody visited since, and those that were visited since are none the likelier for it. Of a
// copy that is no older than a round it counts for the moment of the visit: what was predicted
// wrong today is best known by that. New spans have so many days.
func (f *Tally) See(from, to, length float32, changed bool, expected float32,
	part func(from, after, to float32) float32) {
	n := len(f.spans)
	switch {
	case n == 0:
		f.start = to - length
		f.spans = append(f.spans, Counts{end: to})
	case to <= f.spans[n-1].end: // an instant ago, or somewhat out of order
	case to <= f.begin(n-1)+length:
		f.spans[n-1].end = to
	default:
		if n == tallySpans {
			f.join(to)
		}
		f.spans = append(f.spans, Counts{end: to})
	}
	found := float32(0)
	if changed {
		found = 1
	}
	if to-from <= length {
		from = to
	}
	given := float32(0)
	for i := len(f.spans) - 1; i >= 0 && given < 1; i-- {
		upTo := float32(1) // the first span has all that was before it, too
		if begin := f.begin(i); i > 0 && from < begin {
			upTo = max(part(from, begin, to), given)
		}
		s := &f.spans[i]
		s.Visits += upTo - given
		s.Expected += (upTo - given) * expected
		s.Changed += (upTo - given) * found
		given = upTo
	}
}

func (f *Tally) begin(i int) float32 {
	if i == 0 {
		return f.start
	}
	return f.spans[i-1].end
}

// join makes two neighbours one, those that are shortest for their age.
func (f *Tally) join(now float32) {
	best, least := 0, float32(0)
	for i := range len(f.spans) - 1 {
		if long := (f.spans[i+1].end - f.begin(i)) / (now - f.begin(i)); i == 0 || long < least {
			best, least = i, long
		}
	}
	a, b := f.spans[best], &f.spans[best+1]
	b.Visits, b.Changed, b.Expected = a.Visits+b.Visits, a.Changed+b.Changed, a.Expected+b.Expected
	f.spans = append(f.spans[:best], f.spans[best+1:]...)
}

// Since adds up the visits after t; of a span in which t lies its share.
func (f *Tally) Since(t float32) (all Counts) {
	for i := len(f.spans) - 1; i >= 0 && f.spans[i].end > t; i-- {
		s, begin := f.spans[i], f.begin(i)
		part := min((s.end-t)/(s.end-begin), 1)
		all.Visits += part * s.Visits
		all.Changed += part * s.Changed
		all.Expected += part * s.Expected
	}
	return all
}

// See counts a visit that was expected to find a change with some probability. Of more visits than
// most a tenth is forgotten before.
func (s *Counts) See(changed bool, expected, most float32) {
	if s.Visits >= most {
		s.Visits *= 0.9
		s.Changed *= 0.9
		s.Expected *= 0.9
	}
	s.Visits++
	s.Expected += expected
	if changed {
		s.Changed++
	}
}

// Ratio returns the ratio of the odds seen to those expected, pulled toward 1: 1 where there was no
// visit.
func (s Counts) Ratio(a float32) float32 {
	if s.Visits == 0 {
		return 1
	}
	return Bounded((s.Changed + a) * (s.Visits - s.Expected + a) /
		((s.Expected + a) * (s.Visits - s.Changed + a)))
}

// Beyond returns the counts beside what was to be expected after the odds had a factor.
func (s Counts) Beyond(factor float32) Counts {
	if s.Visits > 0 {
		s.Expected = s.Visits * TimesOdds(s.Expected/s.Visits, factor)
	}
	return s
}

// Bounded returns a factor that is bounded by mostEffect and its inverse.
func Bounded(factor float32) float32 {
	switch {
	case factor < 1.0/mostEffect:
		return 1.0 / mostEffect
	case factor > mostEffect:
		return mostEffect
	}
	return factor
}

// Power returns x to the power of a trust.
func Power(x, trust float32) float32 {
	if x == 1 || trust == 1 {
		return x
	}
	return Exp32(trust * Log32(x))
}

// TimesOdds multiplies the odds of a probability.
func TimesOdds(probability, factor float32) float32 {
	return min(probability*factor/(1+probability*(factor-1)), 1)
}

// Trust learns how far what visits to a server and a site find tells of their other pages.
// On a web whose servers are rebuilt it tells much. Where pages change one by one it is chance, and
// a factor of the odds that follows chance does harm.
//
// The trust is the power of the factors: 1 takes them as they are, 0 not at all. Each outcome moves
// it by the gradient of the log loss, for the corpus and, beside it, for the server, as the weights
// of a mixture are moved; what is learnt is forgotten as it is there.
type Trust struct {
	First   float32   // before anything was seen
	Corpus  float32   // beside it
	Servers []float32 // beside that of the corpus
}

const (
	// mostTrust bounds the power.
	mostTrust = 1.2
	// trustStep is how far an outcome moves it.
	trustStep = 0.02
)

// Of returns the trust at a server.
func (t *Trust) Of(s sitegraph.ServerID) float32 {
	trust := t.First + t.Corpus
	if int(s) < len(t.Servers) {
		trust += t.Servers[s]
	}
	return min(max(trust, 0), mostTrust)
}

// See learns from the outcome of a visit that was believed to find a change with some probability,
// where the factor of the odds was so large before it was trusted.
func (t *Trust) See(s sitegraph.ServerID, changed bool, believed, factor float32) {
	own := t.Server(s)
	missed := -believed
	if changed {
		missed++
	}
	step := trustStep * missed * float32(math.Log(float64(factor)))
	t.Corpus = min(max(corpusKept*t.Corpus+step, -t.First), mostTrust-t.First)
	*own = min(max(serverKept**own+step, -1), 1)
}

// Server returns what a server adds to the trust.
func (t *Trust) Server(s sitegraph.ServerID) *float32 {
	return At(&t.Servers, s)
}
