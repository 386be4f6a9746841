package evidence

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// DayTimes learn at which hours of the day (UTC) pages change, such as those of a newspaper by day
// and not by night. For the plain estimators time then passes faster at some hours than at others:
// an age of some hours counts as much as changes come in such hours. A whole day always counts as a
// day, so that nothing differs for copies that are whole days old.
//
// DayTimes keep a factor of the rate for each hour, seen over expected changes, for the corpus and
// for each server. The factors of a server are pulled toward those of the corpus (a gamma prior). A
// visit that finds a change shows one or more changes since the visit before. The present factors
// estimate how many, and in which of the hours (expectation and maximisation, as evidence is
// spread). Visits a day or more apart show nothing of hours.
//
// The factors count while the outcomes of visits less than a day apart are more likely with them
// than without them.
type DayTimes struct {
	corpus  hours
	servers []*hours // nil: no visit with evidence
	// better is how much likelier recent outcomes were with the factors, as a logarithm.
	better float32
	used   bool
	day    float32 // until which the past was forgotten
}

const (
	hoursPerDay = 24
	// hourPrior is the weight of the corpus's factor at a server, and of 1 in that factor, in
	// expected changes.
	hourPrior = 5
	// hoursKept is the share of the evidence that is kept after a day: half after three weeks.
	hoursKept = 0.967
	// betterKept is the share of better that is kept after each outcome.
	betterKept = 0.999
	// betterBy is the least value of better, in nats, for which the factors count; less is chance.
	betterBy = 3
	// mostTold bounds the changes that one visit counts for.
	mostTold = 3
)

// hours is what is known of the hours of a day.
type hours struct {
	changes, expected [hoursPerDay]float32
	factor            [hoursPerDay]float32     // passed part of a day, at the start of each hour
	upTo              [hoursPerDay + 1]float32 // passed part of a day, at the beginning of each hour
}

// fill computes the factors. Each neighbouring hour counts by half.
func (h *hours) fill(of *hours) {
	sum := float32(0)
	for i := range hoursPerDay {
		before, after := (i+hoursPerDay-1)%hoursPerDay, (i+1)%hoursPerDay
		believed := float32(1)
		if of != nil {
			believed = of.factor[i]
		}
		h.factor[i] = (h.changes[i] + (h.changes[before]+h.changes[after])/2 + hourPrior*believed) /
			(h.expected[i] + (h.expected[before]+h.expected[after])/2 + hourPrior)
		sum += h.factor[i]
	}
	for i := range hoursPerDay {
		h.factor[i] *= hoursPerDay / sum
		h.upTo[i+1] = h.upTo[i] + h.factor[i]/hoursPerDay
	}
	h.upTo[hoursPerDay] = 1
}

// at returns the passed part of a day at a time of it.
func (h *hours) at(time float32) float32 {
	hour := min(int(time*hoursPerDay), hoursPerDay-1)
	return h.upTo[hour] + h.factor[hour]*(time-float32(hour)/hoursPerDay)
}

// between returns the time that passes from one day to another, in days.
func (h *hours) between(from, to float32) float32 {
	a, b := floor32(from), floor32(to)
	return (b - a) + h.at(to-b) - h.at(from-a)
}

func floor32(x float32) float32 { return float32(math.Floor(float64(x))) }

// of returns the hours that count at a server; nil: all are equal.
func (t *DayTimes) of(s sitegraph.ServerID) *hours {
	switch {
	case !t.used:
		return nil
	case int(s) < len(t.servers) && t.servers[s] != nil:
		return t.servers[s]
	}
	return &t.corpus
}

// Passed returns how much of the time from one day to another counts at a server.
func (t *DayTimes) Passed(s sitegraph.ServerID, from, to float32) float32 {
	if h := t.of(s); h != nil && to > from {
		return h.between(from, to)
	}
	return to - from
}

// Begin forgets old evidence, and computes the factors.
func (t *DayTimes) Begin(now float32) {
	if len(t.servers) == 0 {
		return
	}
	kept := float32(1)
	if t.day > 0 && now > t.day {
		kept = float32(math.Pow(hoursKept, float64(now-t.day)))
	}
	t.day = now
	t.corpus.forget(kept)
	t.corpus.fill(nil)
	for _, h := range t.servers {
		if h != nil {
			h.forget(kept)
			h.fill(&t.corpus)
		}
	}
	t.used = t.better > betterBy
}

func (h *hours) forget(kept float32) {
	for i := range hoursPerDay {
		h.changes[i] *= kept
		h.expected[i] *= kept
	}
}

// See learns from a visit to a page of a server, whose copy was of day from. odds are the log odds
// of a change by the plain estimators.
func (t *DayTimes) See(s sitegraph.ServerID, from, to float32, changed bool, odds float32) {
	if !(to > from && to-from < 1) {
		return
	}
	own := At(&t.servers, s)
	h := *own
	if h == nil {
		h = &hours{}
		h.fill(nil)
		if t.corpus.factor[0] > 0 {
			h.factor, h.upTo = t.corpus.factor, t.corpus.upTo
		}
		*own = h
	}
	// Changes expected since the visit before: p = 1 - exp(-all), with and without the hours.
	all := min(float32(math.Log1p(math.Exp(float64(odds)))), mostTold)
	flat, told := all, h.between(from, to)/(to-from)
	if t.used {
		flat = min(all/max(told, 1./mostTold/10), mostTold)
	} else {
		all = min(flat*told, mostTold)
	}
	t.better = betterKept*t.better + logLikelihood(all, changed) - logLikelihood(flat, changed)
	t.better = min(max(t.better, -2*betterBy), 20*betterBy)
	times := float32(0)
	if changed {
		times = 1 / -float32(math.Expm1(-float64(max(all, 1e-4))))
	}
	begin := from - floor32(from)
	for end := begin + to - from; begin < end; {
		hour := int(begin * hoursPerDay)
		next := min(float32(hour+1)/hoursPerDay, end)
		i := hour % hoursPerDay
		expected := flat * (next - begin) / (to - from)
		for _, of := range [...]*hours{h, &t.corpus} {
			of.expected[i] += expected
			of.changes[i] += times * expected * h.factor[i]
		}
		if next <= begin { // float32 moves on by a step
			break
		}
		begin = next
	}
}

// logLikelihood returns the log-likelihood of an outcome by the expected changes.
func logLikelihood(expected float32, changed bool) float32 {
	if !changed {
		return -expected
	}
	return float32(math.Log(-math.Expm1(-float64(max(expected, 1e-4)))))
}
