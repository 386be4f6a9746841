package evidence

import (
	"math"
	"slices"
)

// Account is the clock of a group of pages. It keeps the number of changes for a page of the group
// in each span of time (interval-censored Nelson-Aalen, in spans of adapted length). A visit that
// sees a change after several days spreads it over them, mostly over days on which the group is
// known to have changed. All times are days since an origin of the caller. An account of pages that
// were born here runs over their age.
//
// Most groups of a large crawl have no visits yet: they take 8 bytes.
type Account struct {
	*observed // nil: no visits
}

// observed is what the visits to a group found.
type observed struct {
	spans   []span  // ascending
	start   float32 // of the first span
	Visits  float32 // that compared a page with its copy, or found it gone
	Changes float32 // visits that saw a change
	Days    float32 // days that visits cover
	known   bool    `state:"-"` // after is computed
	// after has, by span of a group of manyVisits, the sums over all later spans.
	after *[maxSpans]sums `state:"-"`
}

// span is a range of days up to end, from the end of the span before.
type span struct {
	end   float32
	mass  float32 // changes of visits that cover it
	cover float32 // visits that cover it, each by its part
}

// maxSpans bounds a group's memory: 12 bytes a span, and 8 more in a group of manyVisits. The
// newest keptSpans are never joined.
const (
	maxSpans  = 24
	keptSpans = 8
)

// mostVisits bounds the visits behind the long-run rate.
const mostVisits = 1 << 20

// Told reports whether the group has visits.
func (e *Account) Told() bool { return e.observed != nil }

// priorVisits is the weight of the long-run rate in each span, in visits.
const priorVisits = 0.5

// level returns the expected changes of a page in a span of this width.
func (s *span) level(width, rate float32) float32 {
	return (s.mass + priorVisits*min(rate*width, 1)) / (s.cover + priorVisits)
}

// Rate returns the changes a day and page over all visits, pulled toward the rate of a larger
// group. That rate has the weight of 60 days, or of 60 visits if they are less than a day apart.
func (e *Account) Rate(parent float32) float32 {
	if e.observed == nil {
		return parent
	}
	days := 60 * min(e.Days/e.Visits, 1)
	return (e.Changes + parent*days) / (e.Days + days)
}

// instant is the distance of two visits at the same time, in days.
const instant = 10.0 / secondsPerDay

// Observe adds a visit on day to of a page whose copy was of day from.
func (e *Account) Observe(from, to float32, changed bool, rate float32) {
	if to <= from { // visits an instant apart
		from = min(to-instant, math.Nextafter32(to, float32(math.Inf(-1))))
	}
	if e.observed == nil {
		e.observed = new(observed)
	}
	e.known = false
	if e.Visits >= mostVisits { // a float32 would lose smaller additions
		e.Visits, e.Changes, e.Days = e.Visits/2, e.Changes/2, e.Days/2
	}
	e.Visits++
	e.Days += to - from
	if changed {
		e.Changes++
	}
	e.reach(from, to)
	var weights [maxSpans + 4]float32
	sum := float32(0)
	first := e.first(from)
	begin := e.begin(first)
	for i := first; i < len(e.spans) && begin < to; i++ {
		s := &e.spans[i]
		width := s.end - begin
		part := (min(to, s.end) - max(from, begin)) / width
		weights[i] = part * (s.level(width, rate) + 1e-4*width)
		sum += weights[i]
		begin = s.end
	}
	begin = e.begin(first)
	for i := first; i < len(e.spans) && begin < to; i++ {
		s := &e.spans[i]
		s.cover += (min(to, s.end) - max(from, begin)) / (s.end - begin)
		if changed {
			s.mass += weights[i] / sum
		}
		begin = s.end
	}
	for len(e.spans) > maxSpans { // reach may have added two
		e.join(rate)
	}
}

// reach adds spans that contain from and to.
func (e *Account) reach(from, to float32) {
	n := len(e.spans)
	first, last := n > 0 && from < e.start, n == 0 || to > e.spans[n-1].end
	if (first || last) && cap(e.spans) < n+2 { // few at a time: there are millions of groups
		e.spans = append(make([]span, 0, n+2), e.spans...)
	}
	if first {
		e.spans = slices.Insert(e.spans, 0, span{end: e.start})
	}
	if last {
		e.spans = append(e.spans, span{end: to})
	}
	if first || n == 0 {
		e.start = from
	}
}

func (e *Account) begin(i int) float32 {
	if i == 0 {
		return e.start
	}
	return e.spans[i-1].end
}

// first returns the first span that ends after t.
func (e *Account) first(t float32) int {
	i := len(e.spans)
	for i > 0 && e.spans[i-1].end > t {
		i--
	}
	return i
}

// join joins the two neighbours whose border carries least information.
func (e *Account) join(rate float32) {
	best, least := 0, float32(math.Inf(1))
	now := e.spans[len(e.spans)-1].end
	begin := e.start
	for i := 0; i+1 < len(e.spans)-keptSpans; i++ {
		a, b := &e.spans[i], &e.spans[i+1]
		wa, wb := a.end-begin, b.end-a.end
		la, lb := a.level(wa, rate), b.level(wb, rate)
		// The error at the old border afterwards; that of a younger border weighs more.
		loss := Abs(lb-(la+lb)*wb/(wa+wb)) / (1 + (now-a.end)/30)
		if loss < least {
			best, least = i, loss
		}
		begin = a.end
	}
	a, b := &e.spans[best], &e.spans[best+1]
	wa, wb := a.end-e.begin(best), b.end-a.end
	cover := (a.cover*wa + b.cover*wb) / (wa + wb)
	mass := float32(0)
	if a.cover > 0 {
		mass += a.mass / a.cover
	}
	if b.cover > 0 {
		mass += b.mass / b.cover
	}
	*b = span{b.end, mass * cover, cover}
	e.spans = append(e.spans[:best], e.spans[best+1:]...)
}

// sums are sums over spans: the expected changes are rate * doubt + mass, for a prior rate.
type sums struct{ mass, doubt float32 }

// plus adds a part of a span of this width.
func (a sums) plus(s *span, width, part float32) sums {
	of := part / (s.cover + priorVisits)
	return sums{a.mass + of*s.mass, a.doubt + of*priorVisits*width}
}

// Since returns the expected changes of a page from t to now. rate fills times without visits.
func (e *Account) Since(t, now, rate float32) float32 {
	if e.observed == nil || len(e.spans) == 0 {
		return rate * (now - t)
	}
	n := len(e.spans)
	var s sums
	unseen := max(now-max(e.spans[n-1].end, t), 0) // days without visits
	if i := e.first(t); i < n {                    // the span that contains t
		begin := e.begin(i)
		p := &e.spans[i]
		width := p.end - begin
		s = e.later(i).plus(p, width, min((p.end-t)/width, 1))
		unseen += max(e.start-t, 0)
	}
	return s.mass + rate*(s.doubt+unseen)
}

// manyVisits is the number of visits from which a group keeps the sums over its spans.
const manyVisits = 256

// Part returns the part of the changes between from and to that came later than after.
func (e *Account) Part(from, after, to, rate float32) float32 {
	all := e.Since(from, to, rate)
	if !(all > 0) {
		return 1
	}
	return min(e.Since(after, to, rate)/all, 1)
}

// later returns the sums over all spans after a given one.
func (e *Account) later(i int) (s sums) {
	if e.Visits >= manyVisits {
		if !e.known {
			e.sumUp()
		}
		return e.after[i]
	}
	for k := len(e.spans) - 1; k > i; k-- {
		s = e.earlier(s, k)
	}
	return s
}

// earlier adds a whole span to the sums of the later ones.
func (e *Account) earlier(s sums, k int) sums {
	return s.plus(&e.spans[k], e.spans[k].end-e.begin(k), 1)
}

// sumUp computes the sums over the spans after each one. They depend on no rate, so they are the
// same whenever they are computed.
func (e *Account) sumUp() {
	e.known = true
	if e.after == nil {
		e.after = new([maxSpans]sums)
	}
	var s sums
	for k := len(e.spans) - 1; k >= 0; k-- {
		e.after[k] = s
		s = e.earlier(s, k)
	}
}

// PooledRate returns the changes a day of a group's pages, pulled toward that of a larger group
// with the weight of two changes.
func (e *Account) PooledRate(parent float32) float32 {
	const changes = 2
	if e.observed == nil {
		return parent
	}
	return (e.Changes + changes) / (e.Days + changes/parent)
}

// ExpectedChanges returns x in P(changed) = 1 - exp(-x) within age. The rate has a gamma posterior:
// a prior of shape 1/2 and a mean rate, and changes in some days.
func ExpectedChanges(changes, days, mean, age float32) float32 {
	const shape = 0.5
	return (changes + shape) * Log32(1+age/(days+shape/mean))
}

// Expected returns the expected changes of a page from its last visit to now, by the clock of the
// group. They are the group's changes since then, times a factor (a gamma posterior of shape 1/2
// and mean 1). The factor is the page's own changes over the group's between its first and its last
// visit. rate fills times without visits. Time since the last visit passes at a pace.
func (e *Account) Expected(changes, first, last, now, rate, pace float32) float32 {
	const shape = 0.5
	since, watched := e.Since(last, now, rate*pace), float32(0)
	if first < last {
		watched = max(e.Since(first, now, rate)-since, 0)
	}
	if now-last < 1 { // spans of a day know nothing of its hours
		since *= min(pace, 1)
	}
	return (changes + shape) * Log32(1+since/(watched+shape))
}
