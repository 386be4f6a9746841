package value

import (
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// Where addresses say nothing, as random ids in one directory, pages that one template makes still
// change together. So the pages of a large address shape are parted by when they changed: pages of
// a part have changed in the same weeks, and were the same in others (weekclock.go). What visits to
// a part tell takes the place of what those to the directory tell.
//
// It does so only where it has proved to. Each outcome is compared with what the part and what the
// directory led to expect of it before; parts count as long as the outcomes of late were clearly
// likelier by them. Where pages change one by one, or as their directories do, they are not.
//
// Parts are found from the weeks in which visits saw each page changed, or the same
// (sitegraph.History), so that they take one byte a page. These are read again after as many visits
// as the shape has pages, and where parts proved nothing more and more rarely, so the work does not
// grow with the pages.
type parting struct {
	first  int32   // of mostParts groups in the list; 0: no parts were found yet
	proved float32 // logarithm of how much likelier outcomes were by the parts than by directories
	unread float32 // visits since the weeks were read
	pause  float32 // visits a page until they are read again
	// Of a shape of more pages than are read at a time: where the pages begin that are read each
	// time, and where to go on with the others.
	always, others sitegraph.PageID
}

const (
	// mostParts bounds the memory of a shape: 500 bytes each that was told something.
	mostParts = 16
	// mostParted bounds the pages whose weeks are read at a time: all, or half of them the same
	// each time, so that parts stay what they are, and as many others, which take their turns.
	mostParted = 4096
	// leastPart is the pages of a part at least.
	leastPart = 8
	// sureOfPart is how much likelier the weeks of a page must be by its part than by the next one,
	// in logarithms; otherwise it has none.
	sureOfPart = 1
	// Visits a page: before there are so many, its weeks cannot tell. pauseGrows where nothing was
	// proved.
	firstPause, provedPause, mostPause = 2, 1, 64
	pauseGrows                         = 1.2
	// Parts count from provedEnough on: outcomes must have been 20 times as likely by them. More
	// than mostProved is forgotten, so that parts which turn worse are dropped soon; half of it is
	// after 350 outcomes.
	provedEnough = 3
	mostProved   = 30
	provedKept   = 0.998
)

// partOf is the place in the list of the group of a page by when it changed; -1: it has none.
func (k *groupIndex) partOf(p sitegraph.PageID, s *group) int32 {
	if s.parting == 0 || k.pages[p].part == 0 {
		return -1
	}
	return k.partings[s.parting-1].first + int32(k.pages[p].part) - 1
}

// directoryOf is the place in the list of a page's directory, or of the part that stands for it.
func (k *groupIndex) directoryOf(p sitegraph.PageID) int32 {
	of := &k.pages[p]
	s := &k.list[of.shape]
	if part := k.partOf(p, s); part >= 0 && k.partings[s.parting-1].proved > provedEnough {
		return part
	}
	return of.directory
}

// prove compares what the part and the directory of a page led to expect of an outcome. It comes
// before they are told of it.
func (k *groupIndex) prove(l outcome) {
	of := &k.pages[l.page]
	s := &k.list[of.shape]
	part := k.partOf(l.page, s)
	if part < 0 {
		return
	}
	h := &k.corpus.Memory(l.page).History
	from, to := k.day(l.from), k.day(l.to)
	changes, watched := float32(h.Changes), max(inDays(h.Last-h.Epoch)-(to-from), 0) // before it
	if l.changed {
		changes--
	}
	parent := k.rates(k.groupsOf(l.page)).section
	likelihood := func(e *evidence) float32 {
		const sure = 0.02 // nobody is more certain than that
		rate := e.rate(parent)
		// A page's own pace counts beside that of the group, so that parts do not prove to be of
		// use by telling fast pages from slow ones.
		expected := e.since(from, to, rate).mass * factor(max(changes, 0), watched*rate)
		same := min(max(exp32(-expected), sure), 1-sure)
		if l.changed {
			return log32(1 - same)
		}
		return log32(same)
	}
	more := likelihood(&k.list[part].evidence) - likelihood(&k.list[of.directory].evidence)
	proved := &k.partings[s.parting-1].proved
	*proved = min(max(provedKept**proved+more, -mostProved), mostProved)
}

// part finds the parts of a page's shape anew, if it is time. It comes after each outcome.
func (k *groupIndex) part(p sitegraph.PageID) {
	shape := k.pages[p].shape
	s := &k.list[shape]
	if s.pages < manyPages {
		return
	}
	if s.parting == 0 {
		k.partings = append(k.partings, parting{pause: firstPause, always: p, others: p})
		s.parting = int32(len(k.partings))
	}
	of := &k.partings[s.parting-1]
	if of.unread++; of.unread < of.pause*float32(min(s.pages, mostParted)) {
		return
	}
	of.unread = 0
	if of.proved > provedEnough {
		of.pause = provedPause
	} else {
		of.pause = min(pauseGrows*of.pause, mostPause)
	}
	if c := k.readWeeks(of, s.pages); c.fit() {
		if of.first == 0 {
			of.first = k.roomForParts(shape)
		}
		k.settle(of.first, c)
	}
}

// readWeeks collects what the weeks of the pages of a shape, so many in all, tell.
func (k *groupIndex) readWeeks(of *parting, n int32) *weekClocks {
	pages := k.pagesToRead(of, n)
	c := &weekClocks{}
	for _, p := range pages {
		c.newest = max(c.newest, sitegraph.Week(k.corpus.Memory(p).History.Last))
	}
	for _, p := range pages {
		c.read(p, &k.corpus.Memory(p).History, int(k.pages[p].part)-1)
	}
	return c
}

// pagesToRead are those of a shape of n pages whose weeks are read now.
func (k *groupIndex) pagesToRead(of *parting, n int32) (pages []sitegraph.PageID) {
	all := n <= mostParted
	if !all {
		n = mostParted / 2
	}
	p := of.always
	for range n {
		pages = append(pages, p)
		p = k.pages[p].next
	}
	if all {
		return pages
	}
	if of.others == of.always {
		of.others = p // all others had their turn
	}
	for ; len(pages) < mostParted && of.others != of.always; of.others = k.pages[of.others].next {
		pages = append(pages, of.others)
	}
	return pages
}

// roomForParts makes the groups of the parts of a shape, and returns the place of the first.
func (k *groupIndex) roomForParts(shape int32) int32 {
	first := int32(len(k.list))
	for i := range uint64(mostParts) {
		k.groupOf(rank.Mix(k.keys.keys[shape] + 1 + i))
	}
	return first
}

// settle takes over the parts that were found, for groups from a place in the list on.
func (k *groupIndex) settle(first int32, c *weekClocks) {
	parts := k.list[first:][:mostParts]
	var left, joined [mostParts]int32
	for i := range c.pages {
		q := &c.pages[i]
		was, is := k.pages[q.page].part, uint8(0)
		if q.sure() {
			is = uint8(q.part) + 1
		}
		if was == is {
			continue
		}
		if was > 0 {
			left[was-1]++
			parts[was-1].pages--
		}
		if is > 0 {
			joined[is-1]++
			parts[is-1].pages++
		}
		k.pages[q.page].part = is
	}
	for i := range parts {
		// Otherwise what the part was told is better than weeks: it has days.
		if 5*left[i] > parts[i].pages || 2*joined[i] > parts[i].pages {
			k.tellWeeks(first+int32(i), c, i)
		}
	}
}

// tellWeeks makes what is known of a part anew, from the weeks of its pages.
func (k *groupIndex) tellWeeks(at int32, c *weekClocks, part int) {
	e := &k.list[at].evidence
	e.observed = &observed{spans: k.room(int(at))}
	if e.pages == 0 {
		return
	}
	const weekSeconds = 7 * secondsPerDay
	var weeks [clockWeeks]span
	newest := uint32(0)
	for i := range c.pages {
		q := &c.pages[i]
		if q.part != int8(part) || !q.sure() {
			continue
		}
		h := &k.corpus.Memory(q.page).History
		newest = max(newest, h.Last)
		e.visits += float32(h.Visits - 1)
		e.changes += float32(h.Changes)
		e.days += inDays(h.Last - h.Epoch)
		seen, changed := h.WeeksBefore(c.newest)
		for at := range weeks {
			weeks[at].visits += float32(seen >> (clockWeeks - 1 - at) & 1)
			weeks[at].changed += float32(changed >> (clockWeeks - 1 - at) & 1)
		}
	}
	of := &c.clocks[part]
	for at := clockWeeks - maxSpans; at < clockWeeks; at++ {
		s := weeks[at]
		s.end = k.day((c.newest - uint32(clockWeeks-1-at) + 1) * weekSeconds)
		s.mass, s.cover = of.mass[at], of.cover[at]
		e.spans = append(e.spans, s)
	}
	e.start = e.spans[0].end - 7
	// this week goes on
	e.spans[maxSpans-1].end = max(k.day(newest), e.spans[maxSpans-2].end+instant)
}
