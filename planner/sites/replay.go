package sites

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// The record of a page has the weeks, of the last 32, in which it was visited and had changed. New
// groups get their accounts from these: a site that was just made, or every group when a process
// begins without memory.

// bornAfter is the least delay, in seconds, of a born page behind most pages of its server.
const bornAfter = uint32(14 * planner.Day / time.Second)

// replay calls observe with the outcomes that the records of pages imply, the oldest week first.
func (g *groups) replay(pages iter.Seq[sitegraph.PageID], tell func(l outcome)) {
	var past []sitegraph.PageID
	newest := uint32(0)
	for p := range pages {
		m := g.corpus.Memory(p)
		if m.State != sitegraph.StateSource && m.History.WeeksSeen != 0 || m.Lost() {
			past = append(past, p)
			newest = max(newest, sitegraph.Week(m.LastInformative()))
		}
	}
	for ago := uint32(evidence.Weeks - 1); ago < evidence.Weeks; ago-- { // 0 is the newest
		for _, p := range past {
			m := g.corpus.Memory(p)
			h := &m.History
			if from, to, changed, ok := evidence.InWeek(h, newest-ago); ok {
				tell(outcome{page: p, from: from, to: to, changed: changed})
			}
			if m.Lost() && m.Tried > h.Last && sitegraph.Week(m.Tried) == newest-ago {
				tell(outcome{page: p, from: h.Last, to: m.Tried, left: true})
			}
		}
	}
}

// replayAll builds the accounts of all groups, which are empty before, from the records of pages.
func (g *groups) replayAll() {
	for s := range g.servers {
		g.markBorn(g.corpus.Graph.ServerPages(sitegraph.ServerID(s))[:g.servers[s].pages])
	}
	g.replay(func(yield func(sitegraph.PageID) bool) {
		for p := range sitegraph.PageID(len(g.pages)) {
			if !yield(p) {
				return
			}
		}
	}, g.observe)
	g.replayPages()
}

// markBorn marks the pages of a server that became known long after most of them.
func (g *groups) markBorn(pages []sitegraph.PageID) {
	var epochs []uint32
	for _, p := range pages {
		if h := &g.corpus.Memory(p).History; h.Visits > 0 {
			epochs = append(epochs, h.Epoch)
		}
	}
	slices.Sort(epochs)
	for _, p := range pages {
		if epoch := g.corpus.Memory(p).History.Epoch; epoch > 0 &&
			epoch > epochs[len(epochs)/2]+bornAfter {
			g.pages[p].traits |= isBorn
		}
	}
}

// replayPages learns from each record as a whole: outcomes of first visits in their order, and the
// gaps between visits, taken as equally long for each page.
func (g *groups) replayPages() {
	looksAt := func(h *sitegraph.History) (looks, gap float32) {
		looks = max(float32(h.Visits)-1, 0)
		return looks, evidence.InDays(h.Last-h.Epoch) / max(looks, 1)
	}
	type visit struct {
		key  uint64 // time of the first visit, then the tie
		page sitegraph.PageID
	}
	visits := make([]visit, 0, len(g.pages))
	recalled := g.states.All != evidence.Gaps{}
	for p := range sitegraph.PageID(len(g.pages)) {
		m := g.corpus.Memory(p)
		h := &m.History
		if m.State != sitegraph.StateSource && (h.Visits > 0 || m.NeverThere()) {
			visits = append(visits, visit{uint64(cmp.Or(h.Epoch, m.Tried))<<32 |
				uint64(math.Float32bits(g.ties.Of(p))), p})
		}
		looks, gap := looksAt(h)
		if looks == 0 || m.State == sitegraph.StateSource {
			continue
		}
		changes := min(float32(h.Changes), looks)
		g.states.Server(g.corpus.Graph.Server(p)).Add(gap, looks, changes, math.MaxFloat32)
		if !recalled {
			g.states.All.Add(gap, looks, changes, math.MaxFloat32)
		}
	}
	for p := range sitegraph.PageID(len(g.pages)) {
		if looks, gap := looksAt(&g.corpus.Memory(p).History); looks > 0 {
			g.pages[p].expected = looks * g.states.Share(g.corpus.Graph.Server(p), 0, gap)
		}
	}
	slices.SortFunc(visits, func(a, b visit) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.page, b.page))
	})
	for _, of := range visits {
		g.firstVisit(of.page, g.corpus.Memory(of.page).History.Visits == 0)
	}
}
