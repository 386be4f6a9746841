package value

import (
	"cmp"
	"slices"
	"sync"

	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// A process that begins anew knows of each page in which of the last weeks it was visited and in
// which it had changed. From that it learns again what its groups had shown: servers at once, each
// week by week.

const (
	week          = 7 * 24 * 60 * 60 // seconds
	replayedWeeks = 32
	// mostReplayed is how many visits all pages together learn from about, as one group: more tell
	// nothing else of it.
	mostReplayed = 1 << 18
)

// past is a page whose history is replayed, with what is needed of it: weeks are gone through one
// after the other, and pages lie anywhere in their files.
type past struct {
	membership
	page   sitegraph.PageID
	newest uint32  // when it was last looked at, in unix seconds
	tie    float32 // among those of one moment
	told   uint32  // unix seconds: up to where its history was told

	epoch, last             uint32 // of its history
	weeksSeen, weeksChanged uint32
	lost                    uint32 // unix seconds: when it was found gone; 0: it was not
}

// pastOf is what is replayed of a page.
func (k *groupIndex) pastOf(p sitegraph.PageID) past {
	m := k.corpus.Memory(p)
	h := &m.History
	t := past{membership: k.pages[p].membership, page: p, newest: k.pages[p].last,
		tie: k.ties.Of(p), epoch: h.Epoch, last: h.Last, weeksSeen: h.WeeksSeen,
		weeksChanged: h.WeeksChanged}
	if m.Lost() {
		t.lost = m.Tried
	}
	return t
}

// before is the order in which pages of a week are told of: those that were last looked at first.
func (a past) compare(b past) int {
	return cmp.Or(cmp.Compare(a.newest, b.newest), cmp.Compare(a.tie, b.tie),
		cmp.Compare(a.page, b.page))
}

// weekOf is what is told of one page in one week.
type weekOf struct {
	outcome
	back int // weeks before the newest
	of   past
}

// replay learns from the weeks that the pages' histories tell of, the oldest first, and from the
// pages that left.
func (k *groupIndex) replay() {
	k.replayFirstVisits()
	r := replay{groupIndex: k}
	for p := range sitegraph.PageID(k.corpus.Pages()) {
		if k.tells(p) {
			r.newest = max(r.newest, sitegraph.Week(k.pages[p].last))
		}
	}
	r.sumUp()
	r.tellServers()
	r.tellAll()
}

// replay of histories.
type replay struct {
	*groupIndex
	newest  uint32     // week
	mu      sync.Mutex // guards told and sampled
	told    weeks
	rate    [replayedWeeks]float32 // of all pages, as it is known when the week begins
	share   float32                // of pages that all learn from
	sampled []weekOf               // of these
}

// weeks is how much is told of, by weeks before the newest.
type weeks [replayedWeeks]struct{ visits, changes, seconds int64 }

func (w *weeks) add(l outcome, back int) {
	of := &w[back]
	of.visits++
	of.seconds += int64(l.to) - int64(l.from)
	if l.changed {
		of.changes++
	}
}

// addTo tells a group how much there was in a week.
func (w *weeks) addTo(e *evidence, back int) {
	of := &w[back]
	e.visits += float32(of.visits)
	e.changes += float32(of.changes)
	e.days += float32(float64(of.seconds) / secondsPerDay)
}

// tells reports whether the history of a page tells of any week.
func (k *groupIndex) tells(p sitegraph.PageID) bool {
	m := k.corpus.Memory(p)
	return m.State != sitegraph.StateSource && (m.Lost() || m.History.WeeksSeen != 0)
}

// inWeek calls yield with what is told of a page in the week so many weeks before the newest. The
// weeks before that were asked for before.
func (r *replay) inWeek(t *past, back int, yield func(outcome)) {
	later := int(r.newest - sitegraph.Week(t.last)) // its weeks are so much older
	if bit := back - later; bit >= 0 && bit < replayedWeeks && t.weeksSeen>>bit&1 != 0 {
		end := t.last - uint32(bit)*week
		begin := t.told
		if begin == 0 { // the first visit that is known
			begin = max(t.epoch, end-min(week, end))
		}
		t.told = end
		if begin < end {
			yield(outcome{page: t.page, from: begin, to: end, changed: t.weeksChanged>>bit&1 != 0})
		}
	}
	// When it left is known to lie before it was last looked for, which may be long after.
	if t.lost > 0 && back == int(r.newest-sitegraph.Week(t.lost)) {
		yield(outcome{page: t.page, from: max(t.last, t.lost-min(replayedWeeks*week, t.lost)),
			to: t.lost, left: true})
	}
}

// serversTogether is the part of all pages that is copied and replayed at a time, server by server;
// a server with more pages is replayed alone. The copy takes 44 bytes a page. Pages are read in the
// order in which they lie in their files.
const serversTogether = 1.0 / 8

// eachServer calls do with the pages of each server whose histories tell something, in their order;
// several servers at once.
func (r *replay) eachServer(do func(pages []past)) {
	g := r.corpus.Graph
	most := int(serversTogether * float64(len(r.pages)))
	places := make([]struct{ from, to int }, g.Servers()) // in all
	var all []past
	for first, last := 0, 0; first < g.Servers(); first = last {
		n := 0
		for ; last < g.Servers(); last++ {
			pages := len(g.ServerPages(sitegraph.ServerID(last)))
			if n > 0 && n+pages > most {
				break
			}
			places[last].from, places[last].to = n, n
			n += pages
		}
		all = scratch.Grow(nil, all[:0], n)
		r.gather(first, last, func(s sitegraph.ServerID, t past) {
			of := &places[s]
			all[of.to] = t
			of.to++
		})
		atOnce(n, func(next func() int) {
			for s := first + next(); s < last; s = first + next() {
				do(all[places[s].from:places[s].to])
			}
		})
	}
}

// gather calls yield with what is replayed of each page of the servers from first to before last.
func (r *replay) gather(first, last int, yield func(s sitegraph.ServerID, t past)) {
	g := r.corpus.Graph
	pace := scratch.Pace{Alone: true}
	for p := range sitegraph.PageID(len(r.pages)) {
		if p%blockPages == 0 {
			pace.Read(g.Scratch(), 1)
		}
		if s := g.Server(p); int(s) >= first && int(s) < last && r.tells(p) {
			yield(s, r.pastOf(p))
		}
	}
}

// sumUp counts what is told, and finds the rate of all pages at the begin of each week.
func (r *replay) sumUp() {
	atOnce(len(r.pages), func(next func() int) {
		var told weeks
		const part = 1 << 14 // pages
		for from := part * next(); from < len(r.pages); from = part * next() {
			for p := from; p < min(from+part, len(r.pages)); p++ {
				r.count(sitegraph.PageID(p), &told)
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for back := range told {
			r.told[back].visits += told[back].visits
			r.told[back].changes += told[back].changes
			r.told[back].seconds += told[back].seconds
		}
	})
	so := evidence{observed: new(observed)}
	for back := replayedWeeks - 1; back >= 0; back-- {
		r.rate[back] = so.rate(defaultRate)
		r.told.addTo(&so, back)
	}
	r.share = min(mostReplayed/max(so.visits, 1), 1)
}

// count counts what is told of a page.
func (r *replay) count(p sitegraph.PageID, told *weeks) {
	if !r.tells(p) {
		return
	}
	t := r.pastOf(p)
	for back := replayedWeeks - 1; back >= 0; back-- {
		r.inWeek(&t, back, func(l outcome) { told.add(l, back) })
	}
}

// tellServers tells the groups of each server.
func (r *replay) tellServers() {
	r.eachServer(func(pages []past) {
		slices.SortFunc(pages, past.compare)
		var sampled []weekOf
		for back := replayedWeeks - 1; back >= 0; back-- {
			for i := range pages {
				t := &pages[i]
				r.inWeek(t, back, func(l outcome) {
					of := r.groupsOfServer(t.membership, r.corpus.Graph.Server(t.page))
					r.tell(l, of, r.rate[back])
					if r.share == 1 || t.tie < r.share {
						sampled = append(sampled, weekOf{l, back, *t})
					}
				})
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sampled = append(r.sampled, sampled...)
	})
}

// tellAll tells the group of all pages, of a sample where there are many.
func (r *replay) tellAll() {
	slices.SortFunc(r.sampled, func(a, b weekOf) int {
		return cmp.Or(cmp.Compare(b.back, a.back), a.of.compare(b.of), cmp.Compare(a.to, b.to))
	})
	for i := range r.sampled {
		l := &r.sampled[i]
		r.all.observe(r.day(l.from), r.day(l.to), l.changed, r.all.rate(defaultRate))
	}
	if r.share == 1 {
		return
	}
	r.all.visits, r.all.changes, r.all.days = 0, 0, 0
	for back := range r.told {
		r.told.addTo(&r.all, back)
	}
}
