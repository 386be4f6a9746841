package value

import (
	"math"
	"slices"
)

// evidence is what the visits to a group of pages told of its changes over time: how much
// change fell into which span (interval-censored Nelson-Aalen, in spans of adapted length).
// A visit to a page that covers several days spreads what it saw over them, most where the
// group is known to have changed. All times are days; see clock.
//
// Of most groups of a large crawl nothing was told yet: they take 16 bytes.
type evidence struct {
	pages     int32 // in the group
	*observed       // never nil once the group is made; unobserved of most
}

// observed is what visits told of a group.
type observed struct {
	spans []span // ascending
	// of a group of manyPages, by span: over all spans after it, if known is true
	after *[maxSpans]sums
	tally *tally // of a server, or of a shape of manyPages; nil: nothing is known
	known bool
	facts
}

// unobserved is shared by all groups that nothing was told of. It is only read: own comes before
// all that changes anything but pages.
var unobserved observed

// facts are what is counted of visits to a group over all time.
type facts struct {
	start   float32 // of the first span
	visits  float32 // visits that compared a page with its copy, or found it gone
	changes float32 // and saw a change
	days    float32 // watched by them
	// Of shapes, sections and servers: share of the last visits that found a page gone; see
	// observeLeft.
	gone        float32
	found       float32 // pages that became known by those changes
	dead        float32 // of the first visits, those that met no page
	firstVisits float32 // first visits, firstsKept at most: the last ones; see answered
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
// larger group.
func (e *evidence) rate(parent float32) float32 {
	const days = 60
	return (e.changes + parent*days) / (e.days + days)
}

// finds is the pages that become known by a change of a page, pulled toward those of a larger
// group.
func (e *evidence) finds(parent float32) float32 {
	const changes = 4
	return (e.found + parent*changes) / (e.changes + changes)
}

// goneMemory is the weight of the last visit in the share gone: that of the visit before is smaller
// by this share of it, and so on. Pages go in runs, a section or a version at once.
const goneMemory = 1.0 / 8

// observeLeft notes whether a visit found the page gone, of which before it so large a share was
// believed.
func (e *evidence) observeLeft(gone bool, believed float32) {
	saw := float32(0)
	if gone {
		saw = 1
	}
	e.gone = believed + goneMemory*(saw-believed)
}

// goneOr is the share of the last visits that found a page gone; where there was none, what is
// believed of a larger group.
func (e *evidence) goneOr(believed float32) float32 {
	if e.visits == 0 {
		return believed
	}
	return e.gone
}

// instant is how far apart visits at one moment are taken to be, in days.
const instant = 10.0 / secondsPerDay

// observe adds a visit on day to of a page whose copy was of day from.
func (e *evidence) observe(from, to float32, changed bool, rate float32) {
	if to <= from { // visits an instant apart
		from = min(to-instant, math.Nextafter32(to, float32(math.Inf(-1))))
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
func (e *evidence) reach(from, to float32) {
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

func (e *evidence) begin(i int) float32 {
	if i == 0 {
		return e.start
	}
	return e.spans[i-1].end
}

// first is the first span that ends after t.
func (e *evidence) first(t float32) int {
	i := len(e.spans)
	for i > 0 && e.spans[i-1].end > t {
		i--
	}
	return i
}

// join makes two neighbours one: those whose border tells least.
func (e *evidence) join(rate float32) {
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

func abs32(x float32) float32 { return max(x, -x) }

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
func (e *evidence) since(t, now, rate float32) since {
	n := len(e.spans)
	if n == 0 {
		return since{mass: rate * (now - t)}
	}
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
func (e *evidence) part(from, after, to, rate float32) float32 {
	all := e.since(from, to, rate).mass
	if !(all > 0) {
		return 1
	}
	return min(e.since(after, to, rate).mass/all, 1)
}

// later sums up all spans after one.
func (e *evidence) later(i int) (s sums) {
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
func (e *evidence) earlier(s sums, k int) sums {
	return s.plus(&e.spans[k], e.spans[k].end-e.begin(k), 1)
}

// sumUp makes the sums over all spans after each anew. They do not hang on a rate, so it makes no
// difference when somebody asks.
func (e *evidence) sumUp() {
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

// peak is the most change mass in so many days on end, after t.
func (e *evidence) peak(t, days, rate float32) float32 {
	var most, mass float32
	from := len(e.spans)
	for to := len(e.spans) - 1; to >= 0 && e.spans[to].end > t; to-- {
		for ; from > 0 && e.spans[from-1].end > t &&
			e.begin(from-1) >= e.spans[to].end-days; from-- {
			mass += e.spans[from-1].level(e.spans[from-1].end-e.begin(from-1), rate)
		}
		if from <= to {
			most = max(most, mass)
			mass -= e.spans[to].level(e.spans[to].end-e.begin(to), rate)
		}
		from = min(from, to)
	}
	return most
}

// share is that of visits which saw a change, with one visit's worth of belief.
func (s since) share(believed float32) float32 { return (s.changed + believed) / (s.visits + 1) }
