package sites

import (
	"math"
	"slices"
)

// account keeps what the visits to a group of pages told of its changes over time: how much change
// fell into which span (interval-censored Nelson-Aalen, in spans of adapted length). A visit to a
// page that covers several days spreads what it saw over them, most where the group is known to
// have changed. All times are days; see clock. The account of pages born here goes over their age.
//
// Of most groups of a large crawl nothing was told yet: they take 16 bytes.
type account struct {
	pages     int32 // in the group
	*observed       // nil: nothing was told
}

// observed is what visits told of a group.
type observed struct {
	spans   []span  // ascending
	start   float32 // of the first span
	visits  float32 // visits that compared a page with its copy, or found it gone
	changes float32 // and saw a change
	days    float32 // watched by them
	known   bool    `state:"-"` // after holds
	// by span of a group of manyPages: sums over all spans after it
	after *[maxSpans]sums `state:"-"`
}

// span is a stretch of days up to end, from the end of the span before.
type span struct {
	end     float32
	mass    float32 // changes of visits that cover it
	cover   float32 // visits that cover it, by the part that they do
	visits  float32 // made in it
	changed float32 // of these saw a change
}

// maxSpans bounds a group's memory: 20 bytes each, and 16 more in one of manyPages. keptSpans of
// the newest are never joined.
const (
	maxSpans  = 24
	mostSpans = maxSpans + 2 // while a visit is added
	keptSpans = 8
)

// priorVisits is how many visits the long-run rate counts for in each span.
const priorVisits = 0.5

// level is the change mass expected of a page in a span of this width.
func (s *span) level(width, rate float32) float32 {
	return (s.mass + priorVisits*min(rate*width, 1)) / (s.cover + priorVisits)
}

// rate is the changes per day and page over all that was seen, pulled toward the rate of a
// larger group, which counts as 60 days, or as 60 visits where they are less than a day apart.
func (e *account) rate(parent float32) float32 {
	if e.observed == nil {
		return parent
	}
	days := 60 * min(e.days/e.visits, 1)
	return (e.changes + parent*days) / (e.days + days)
}

// instant is how far apart visits at one moment are taken to be, in days.
const instant = 10.0 / secondsPerDay

// observe adds a visit on day to of a page whose copy was of day from.
func (e *account) observe(from, to float32, changed bool, rate float32) {
	if to <= from { // visits an instant apart
		from = min(to-instant, math.Nextafter32(to, float32(math.Inf(-1))))
	}
	if e.observed == nil {
		e.observed = new(observed)
	}
	e.known = false
	e.visits++
	e.days += to - from
	if changed {
		e.changes++
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
		if to <= s.end {
			s.visits++
			if changed {
				s.changed++
			}
		}
		begin = s.end
	}
	for len(e.spans) > maxSpans { // reach may have added two
		e.join(rate)
	}
}

// reach adds spans so that from and to lie in some.
func (e *account) reach(from, to float32) {
	n := len(e.spans)
	first, last := n > 0 && from < e.start, n == 0 || to > e.spans[n-1].end
	if (first || last) && cap(e.spans) < n+2 { // few at a time: there are groups by the million
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

func (e *account) begin(i int) float32 {
	if i == 0 {
		return e.start
	}
	return e.spans[i-1].end
}

// first is the first span that ends after t.
func (e *account) first(t float32) int {
	i := len(e.spans)
	for i > 0 && e.spans[i-1].end > t {
		i--
	}
	return i
}

// join makes two neighbours one: those whose border tells least.
func (e *account) join(rate float32) {
	best, least := 0, float32(math.Inf(1))
	now := e.spans[len(e.spans)-1].end
	begin := e.start
	for i := 0; i+1 < len(e.spans)-keptSpans; i++ {
		a, b := &e.spans[i], &e.spans[i+1]
		wa, wb := a.end-begin, b.end-a.end
		la, lb := a.level(wa, rate), b.level(wb, rate)
		// What is wrong afterwards at the old border, more of it the younger it is.
		loss := abs32(lb-(la+lb)*wb/(wa+wb)) / (1 + (now-a.end)/30)
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
	*b = span{
		end:     b.end,
		cover:   cover,
		mass:    mass * cover,
		visits:  a.visits + b.visits,
		changed: a.changed + b.changed,
	}
	e.spans = append(e.spans[:best], e.spans[best+1:]...)
}

// since is what is known of a group after a moment.
type since struct {
	mass            float32 // changes expected of a page
	visits, changed float32 // visits, and those that saw a change
}

// sums are over spans: change is rate * doubt + mass, whatever rate is believed where little was
// seen.
type sums struct{ mass, doubt, visits, changed float32 }

// plus adds a part of a span of this width.
func (a sums) plus(s *span, width, part float32) sums {
	of := part / (s.cover + priorVisits)
	return sums{
		a.mass + of*s.mass,
		a.doubt + of*priorVisits*width,
		a.visits + part*s.visits,
		a.changed + part*s.changed,
	}
}

// since sums up what is known after t, up to now; rate fills what nobody looked at.
func (e *account) since(t, now, rate float32) since {
	if e.observed == nil || len(e.spans) == 0 {
		return since{mass: rate * (now - t)}
	}
	n := len(e.spans)
	var s sums
	unseen := max(now-max(e.spans[n-1].end, t), 0) // days
	if i := e.first(t); i < n {                    // the span in which t lies
		begin := e.begin(i)
		p := &e.spans[i]
		width := p.end - begin
		s = e.later(i).plus(p, width, min((p.end-t)/width, 1))
		unseen += max(e.start-t, 0)
	}
	return since{mass: s.mass + rate*(s.doubt+unseen), visits: s.visits, changed: s.changed}
}

// manyPages make it worth the memory to keep what the spans of a group add up to.
const manyPages = 64

// part is that of the change from one moment to another which fell after some moment between them.
func (e *account) part(from, after, to, rate float32) float32 {
	all := e.since(from, to, rate).mass
	if !(all > 0) {
		return 1
	}
	return min(e.since(after, to, rate).mass/all, 1)
}

// later sums up all spans after one.
func (e *account) later(i int) (s sums) {
	if e.pages >= manyPages {
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

// earlier adds a whole span to what later ones add up to.
func (e *account) earlier(s sums, k int) sums {
	return s.plus(&e.spans[k], e.spans[k].end-e.begin(k), 1)
}

// sumUp makes the sums over all spans after each anew. They do not hang on a rate, so it makes no
// difference when somebody asks.
func (e *account) sumUp() {
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
