package planner

// frailty is what a server showed beyond what was expected of its pages: the share of its odds that no model can know
// before, as when it was rebuilt on a part of its pages (a random effect of the server; Vaupel, Manton, Stallard 1979). Each visit
// brings what rows and claims made of its page, before this factor and before it was calibrated, and what came of it. Where n
// visits found c changes and these probabilities add up to e, the odds of the pages that were last visited before them are multiplied by
//
//	(c + a) / (e + a) * (n - e + a) / (n - c + a)
//
// which is the ratio of the odds seen to those expected, pulled toward 1 by a = frailtyBelief changes as expected, and
// as many visits without one. It is kept while the program runs: a process that begins anew, or only explains, knows none.
type frailty struct {
	start float32        // of the first span, in days since 1970
	spans []expectations // ascending
}

// expectations are those of the visits of some days, up to end, and what came of them.
type expectations struct{ end, looks, changed, expected float32 }

const (
	// frailtyBelief in changes: sweeps of real histories find the same by 1 to 3, streams by 1 to 10.
	frailtyBelief = 2
	// mostFrailty bounds the factor, and its inverse.
	mostFrailty = 20
	// frailtySpans bounds memory, 16 bytes each; a span is a day long, or longer where that is long ago.
	frailtySpans = 16
)

// see adds a visit at day to that was expected to find a change with some probability.
func (f *frailty) see(to float32, changed bool, expected float32) {
	n := len(f.spans)
	switch {
	case n == 0:
		f.start = to - 1
		f.spans = append(f.spans, expectations{end: to})
	case to <= f.spans[n-1].end: // an instant ago, or somewhat out of order
	case to <= f.begin(n-1)+1:
		f.spans[n-1].end = to
	default:
		if n == frailtySpans {
			f.join(to)
		}
		f.spans = append(f.spans, expectations{end: to})
	}
	last := &f.spans[len(f.spans)-1]
	last.looks++
	last.expected += expected
	if changed {
		last.changed++
	}
}

func (f *frailty) begin(i int) float32 {
	if i == 0 {
		return f.start
	}
	return f.spans[i-1].end
}

// join makes two neighbours one, those that are shortest for their age.
func (f *frailty) join(now float32) {
	best, least := 0, float32(0)
	for i := range len(f.spans) - 1 {
		if long := (f.spans[i+1].end - f.begin(i)) / (now - f.begin(i)); i == 0 || long < least {
			best, least = i, long
		}
	}
	a, b := f.spans[best], &f.spans[best+1]
	b.looks, b.changed, b.expected = a.looks+b.looks, a.changed+b.changed, a.expected+b.expected
	f.spans = append(f.spans[:best], f.spans[best+1:]...)
}

// since adds up the visits after t; of a span in which t lies its share.
func (f *frailty) since(t float32) (all expectations) {
	for i := len(f.spans) - 1; i >= 0 && f.spans[i].end > t; i-- {
		s, begin := f.spans[i], f.begin(i)
		part := min((s.end-t)/(s.end-begin), 1)
		all.looks += part * s.looks
		all.changed += part * s.changed
		all.expected += part * s.expected
	}
	return all
}

// factor is what the odds of pages last visited before these are multiplied by: 1 where there was none.
func (s expectations) factor() float32 {
	const a = frailtyBelief
	ratio := (s.changed + a) / (s.expected + a) * (s.looks - s.expected + a) / (s.looks - s.changed + a)
	return min(max(ratio, 1.0/mostFrailty), mostFrailty)
}

// timesOdds multiplies the odds of a probability.
func timesOdds(probability, factor float32) float32 {
	return min(probability*factor/(1+probability*(factor-1)), 1)
}
