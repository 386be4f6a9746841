package value

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// weekClock is a level of change for each week: that of pages which change together. Like evidence,
// it is found from visits that cover several weeks (interval-censored Nelson-Aalen).
type weekClock struct {
	pages       int
	mass, cover [clockWeeks]float32     // changes in each week, the oldest first, and pages watched
	level       [clockWeeks]float32     // changes expected of a page
	until       [clockWeeks + 1]float32 // those up to the middle of a week, by the week and one
}

// clockWeeks are those of sitegraph.History.
const clockWeeks = 32

// look is what visits saw of a page from the middle of a week, -1 for before the first, to
// that of another.
type look struct {
	from, to int8
	changed  bool
}

// clockPage is a page with its looks, and the part that it is in.
type clockPage struct {
	page        sitegraph.PageID
	first, last int32 // of its looks
	part        int8  // -1: none
	// how much likelier its looks are by this part than by the next, in logarithms
	lead float32
}

func (q *clockPage) sure() bool { return q.part >= 0 && q.lead >= sureOfPart }

// weekClocks part pages by the weeks in which they changed. They are a mixture of clocks, fitted by
// hard assignment (classification EM: Celeux and Govaert 1992): clocks are estimated from the pages
// of each part, and each page goes to the part by whose clock what was seen of it is likeliest. It
// begins with the parts that were found before, and splits parts as long as that makes what was
// seen likelier.
type weekClocks struct {
	newest         uint32 // week
	pages          []clockPage
	looks          []look
	changes, weeks float32 // of all looks
	clocks         [mostParts]weekClock
	all, some      []*clockPage // all pages, and those of a part that is tried to be split
}

const (
	// fitRounds is how often pages are assigned and clocks estimated in turns.
	fitRounds = 3
	// splitGain is how much likelier a split makes what was seen, in logarithms, and splitTries how
	// many weeks are tried before there is none. Splits by chance are found out later: see prove.
	splitGain  = 4
	splitTries = 6
	// mostLevel bounds the share of pages that are believed to change in a week, and leastChanged
	// that of a change that nobody expected: one odd visit does not tell a page's part.
	mostLevel    = 0.95
	leastChanged = 0.02
)

// read adds a page by its history.
func (c *weekClocks) read(p sitegraph.PageID, h *sitegraph.History, part int) {
	seen, changed := h.WeeksBefore(c.newest)
	if seen == 0 {
		return
	}
	q := clockPage{page: p, first: int32(len(c.looks)), part: int8(part)}
	before := clockWeeks - 1 - bits.Len32(seen) // the week before the first look
	if ago := int(c.newest - sitegraph.Week(h.Epoch)); ago < clockWeeks {
		before = min(before+1, clockWeeks-1-ago)
	}
	before = max(before, -1)
	for seen != 0 {
		ago := bits.Len32(seen) - 1
		seen &^= 1 << ago
		l := look{from: int8(before), to: int8(clockWeeks - 1 - ago), changed: changed>>ago&1 != 0}
		c.weeks += float32(l.to - l.from)
		if n := len(c.looks); !l.changed && n > int(q.first) && !c.looks[n-1].changed {
			c.looks[n-1].to = l.to // the same as before, twice
		} else {
			c.looks = append(c.looks, l)
		}
		if l.changed {
			c.changes++
		}
		before = int(l.to)
	}
	q.last = int32(len(c.looks))
	c.pages = append(c.pages, q)
}

func (c *weekClocks) looksOf(q *clockPage) []look { return c.looks[q.first:q.last] }

// partSet is a set of parts.
type partSet uint32

func (s partSet) has(part int8) bool { return part >= 0 && s>>part&1 != 0 }

// fit finds the parts; false: there are no two.
func (c *weekClocks) fit() bool {
	var all partSet
	for i := range c.pages {
		c.all = append(c.all, &c.pages[i])
		if part := c.pages[i].part; part >= 0 {
			all |= 1 << part
		}
	}
	if all == 0 {
		all = 1
		for _, q := range c.all {
			q.part = 0
		}
	}
	for i := range c.clocks {
		c.forget(i)
	}
	c.estimate(all, c.all)
	c.assignAll(all)
	c.refine(all, c.all)
	for bits.OnesCount32(uint32(all)) < mostParts {
		free := bits.TrailingZeros32(^uint32(all))
		if !c.split(all, free) {
			break
		}
		all |= 1 << free
		c.assignAll(all)
		c.estimate(all, c.all)
	}
	for i := range c.clocks {
		if all.has(int8(i)) && c.clocks[i].pages < leastPart {
			all &^= 1 << i
		}
	}
	if bits.OnesCount32(uint32(all)) < 2 {
		return false
	}
	c.assignAll(all)
	c.estimate(all, c.all)
	return true
}

// refine assigns pages and estimates clocks in turns, and returns how likely that makes what was
// seen of them, in logarithms.
func (c *weekClocks) refine(of partSet, pages []*clockPage) (likelihood float32) {
	for range fitRounds {
		c.estimate(of, pages)
		likelihood = c.assign(of, pages)
	}
	c.estimate(of, pages)
	return likelihood
}

// rate is the changes expected of a page in a week, of whatever part.
func (c *weekClocks) rate() float32 { return (c.changes + 0.5) / (c.weeks + 50) }

// forget makes the clock of a part that of no pages.
func (c *weekClocks) forget(part int) {
	c.clocks[part] = weekClock{}
	c.clocks[part].sumUp(c.rate())
}

// estimate makes the clocks of some parts from their pages, which all are among these: twice, since
// a change is laid into the weeks by the clock before.
func (c *weekClocks) estimate(of partSet, pages []*clockPage) {
	for range 2 {
		var tallies [mostParts]weekTally
		for _, q := range pages {
			if of.has(q.part) {
				tallies[q.part].add(&c.clocks[q.part], c.looksOf(q))
			}
		}
		for i := range c.clocks {
			if of.has(int8(i)) {
				c.clocks[i].take(&tallies[i])
				c.clocks[i].sumUp(c.rate())
			}
		}
	}
}

// weekTally adds up looks: in each week how many began less those that ended, and of those that saw
// a change, divided by the changes expected.
type weekTally struct {
	pages          int
	cover, changed [clockWeeks + 1]float32
}

// add counts looks at a page. The weeks of their first and last visits count half.
func (t *weekTally) add(w *weekClock, looks []look) {
	t.pages++
	for _, l := range looks {
		from, to := max(l.from, 0), l.to+1
		inside, end := l.from+1, l.to
		if inside > end { // both are in one week
			inside, end = from, to
		}
		each := func(sums *[clockWeeks + 1]float32, half float32) {
			sums[from] += half
			sums[to] -= half
			sums[inside] += half
			sums[end] -= half
		}
		each(&t.cover, 0.5)
		if l.changed {
			each(&t.changed, 0.5/w.expected(l))
		}
	}
}

// take takes over what was added up.
func (w *weekClock) take(t *weekTally) {
	w.pages = t.pages
	cover, changed := float32(0), float32(0)
	for at := range w.level {
		cover += t.cover[at]
		changed += t.changed[at]
		w.cover[at], w.mass[at] = max(cover, 0), max(changed, 0)*w.level[at]
	}
}

// sumUp finds the levels, pulled toward a rate by one page.
func (w *weekClock) sumUp(rate float32) {
	sum := float32(0)
	for at := range w.level {
		w.level[at] = -log32(1 - min((w.mass[at]+rate)/(w.cover[at]+1), mostLevel))
		w.until[at+1] = sum + w.level[at]/2
		sum += w.level[at]
	}
}

// expected are the changes from the begin of a look to its end.
func (w *weekClock) expected(l look) float32 {
	const least = 1e-4
	return max(w.until[l.to+1]-w.until[max(l.from+1, 0)], least)
}

// likelihood is the logarithm of that of looks.
func (w *weekClock) likelihood(looks []look) (sum float32) {
	for _, l := range looks {
		if x := w.expected(l); l.changed {
			sum += log32(max(1-exp32(-x), leastChanged))
		} else {
			sum -= x
		}
	}
	return sum
}

// assignAll puts all pages into the parts by which they are likeliest, also those that are in none.
func (c *weekClocks) assignAll(of partSet) {
	for _, q := range c.all {
		if !of.has(q.part) {
			q.part = int8(bits.TrailingZeros32(uint32(of)))
		}
	}
	c.assign(of, c.all)
}

// assign puts pages of some parts into those of them by which they are likeliest, and returns the
// logarithm of the likelihood of what was seen of them.
func (c *weekClocks) assign(of partSet, some []*clockPage) (likelihood float32) {
	pages := 0
	for i := range c.clocks {
		if of.has(int8(i)) {
			pages += c.clocks[i].pages + 1
		}
	}
	var size [mostParts]float32 // logarithms
	for i := range c.clocks {
		size[i] = log32(float32(c.clocks[i].pages+1) / float32(pages))
	}
	for _, q := range some {
		if !of.has(q.part) {
			continue
		}
		const never = -1e9
		best, next := float32(never), float32(never)
		for left := of; left != 0; left &= left - 1 {
			part := int8(bits.TrailingZeros32(uint32(left)))
			if x := c.clocks[part].likelihood(c.looksOf(q)) + size[part]; x > best {
				best, next, q.part = x, best, part
			} else {
				next = max(next, x)
			}
		}
		q.lead = best - next
		likelihood += best
	}
	return likelihood
}

// weekOfPart is a week in which n pages of a part changed, and as many did not.
type weekOfPart struct {
	part int8
	week int
	n    float32
}

// split finds a part whose pages are two parts, and puts some of them into a free one.
func (c *weekClocks) split(all partSet, free int) bool {
	var changed, same [mostParts][clockWeeks]float32
	for part := range same {
		if !all.has(int8(part)) {
			continue
		}
		w := &c.clocks[part]
		for at := range clockWeeks {
			changed[part][at] = w.mass[at]
			same[part][at] = w.cover[at] - w.mass[at]
		}
	}
	var weeks []weekOfPart
	for part := range int8(mostParts) {
		for at := range clockWeeks {
			if n := min(changed[part][at], same[part][at]); all.has(part) && n >= leastPart/2 {
				weeks = append(weeks, weekOfPart{part, at, n})
			}
		}
	}
	slices.SortStableFunc(weeks, func(a, b weekOfPart) int { return cmp.Compare(b.n, a.n) })
	for _, w := range weeks[:min(len(weeks), splitTries)] {
		if c.splitAt(w, int8(free)) {
			return true
		}
	}
	return false
}

// splitAt tries to part those pages of a part that changed in a week from the others.
func (c *weekClocks) splitAt(at weekOfPart, free int8) bool {
	before, clock := float32(0), c.clocks[at.part]
	c.some = c.some[:0]
	for _, q := range c.all {
		if q.part != at.part {
			continue
		}
		c.some = append(c.some, q)
		before += clock.likelihood(c.looksOf(q))
		for _, l := range c.looksOf(q) {
			const likely = 0.25 // that it was in this week
			if l.changed && int(l.from) <= at.week && at.week <= int(l.to) &&
				clock.level[at.week] > likely*clock.expected(l) {
				q.part = free
			}
		}
	}
	after := c.refine(partSet(1<<at.part|1<<free), c.some)
	if after > before+splitGain && min(c.clocks[at.part].pages, c.clocks[free].pages) >= leastPart {
		return true
	}
	for _, q := range c.some {
		q.part = at.part
	}
	c.clocks[at.part] = clock
	c.forget(int(free))
	return false
}
