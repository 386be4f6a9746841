package evidence

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// Tally compares what visits to a group of pages found with what was predicted. The group is a
// server, a site or another.
//
// A Tally is the random effect of the group (a shared frailty: Vaupel, Manton, Stallard 1979): the
// part of its odds of change that no model can predict. For example, part of the server was
// rebuilt. If n visits found c changes, and e is the sum of their predicted probabilities, the odds
// of pages last visited before them are multiplied by
//
//	(c + a) / (e + a) * (n - e + a) / (n - c + a)
//
// This is the ratio of observed to predicted odds, shrunk toward 1 by a changes, and as many visits
// without one, that came as predicted. The predictions are those of the experts and of claims,
// before this factor and before calibration.
//
// For a site, e is the expectation after the factor of its server, so that the site adds only what
// the server does not explain.
//
// The memory of the planner includes tallies.
type Tally struct {
	start float32  // of the first span, in days
	spans []Counts // ascending
}

// Counts has the visits that cover the days of a span up to end, how many found a change, and how
// many were expected to. A visit that covers several spans counts in parts.
type Counts struct{ end, Visits, Changed, Expected float32 }

const (
	// mostEffect bounds each factor, their product, and the inverses.
	mostEffect = 20
	// tallySpans bounds memory, 16 bytes each. A span is a day long, or as long as a shorter round;
	// old spans are longer.
	tallySpans = 16
)

// See adds a visit on day to of a page whose copy was of day from, with the expected probability of
// a change. It counts for the days since that copy, mostly for those on which the group is known to
// have changed (part). The reason: after a rebuild, visits still find changed pages that were not
// visited since, but pages that were visited since are not likelier to change. If the copy is no
// older than a round, the visit counts for its own time, which shows best what was predicted wrong
// today. New spans are length days long.
func (f *Tally) See(from, to, length float32, changed bool, expected float32,
	part func(from, after, to float32) float32) {
	n := len(f.spans)
	switch {
	case n == 0:
		f.start = to - length
		f.spans = append(f.spans, Counts{end: to})
	case to <= f.spans[n-1].end: // an instant ago, or slightly out of order
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
		upTo := float32(1) // the first span also has all that was before it
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

// join joins the two neighbours that are shortest for their age.
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

// Since sums the visits after t; the span that contains t counts by its part.
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

// See counts a visit with the expected probability of a change. Beyond most visits a tenth is
// forgotten first.
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

// Ratio returns the ratio of the odds seen to those expected, pulled toward 1; 1 without visits.
func (s Counts) Ratio(a float32) float32 {
	if s.Visits == 0 {
		return 1
	}
	return Bounded((s.Changed + a) * (s.Visits - s.Expected + a) /
		((s.Expected + a) * (s.Visits - s.Changed + a)))
}

// Beyond returns the counts with the expectation after a factor of the odds.
func (s Counts) Beyond(factor float32) Counts {
	if s.Visits > 0 {
		s.Expected = s.Visits * TimesOdds(s.Expected/s.Visits, factor)
	}
	return s
}

// Bounded returns a factor bounded by mostEffect and its inverse.
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

// TimesOdds multiplies the odds of a probability by a factor.
func TimesOdds(probability, factor float32) float32 {
	return min(probability*factor/(1+probability*(factor-1)), 1)
}

// Trust learns how well the outcomes of visits to a server and a site predict their other pages. If
// servers are rebuilt they predict well. If pages change one by one they are chance, and a factor
// of the odds that follows chance does harm.
//
// The trust is the power of the factors: 1 takes them as they are, 0 not at all. Each outcome moves
// it by the gradient of the log loss, for the corpus and, added to it, for the server, like the
// weights of a mixture. It is forgotten in the same way.
type Trust struct {
	First   float32   // before any outcome
	Corpus  float32   // added to First
	Servers []float32 // added to that of the corpus
}

const (
	// mostTrust bounds the power.
	mostTrust = 1.2
	// trustStep is the step of an outcome.
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

// See learns from the outcome of a visit with the believed probability of a change. factor is the
// odds factor before trust.
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
