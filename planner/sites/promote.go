package sites

import (
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// An outcome can raise the worth of other pages on its server above their rank. After surprising
// outcomes some pages are scored anew: pages of the same site, and the best of the server.
//
// Scoring all of them would cost too much. So the policy takes them in the order of their scores,
// in blocks of similar pages, and scores one page of each block. If its worth rose, that of the
// others in the block is raised by the same factor; they are scored when they come to the top. A
// sweep is judged by its order, so it scores the whole block at once.

// surpriseOf sums the surprise of a server's outcomes since its pages were last reconsidered.
type surpriseOf struct {
	sum       float32 // sum of outcome - probability where positive
	visits    int32
	inRound   int32
	followUps int32 // samples of this round that followed others
	// byScore has the pages that were not reconsidered in this round, by their scores at the first
	// surprise. Most servers need none.
	byScore standings `state:"-"`
}

const (
	// surpriseThreshold is the sum of surprise at which other pages are reconsidered.
	surpriseThreshold = 0.5
	// mostOfSite bounds the pages of a site that are reconsidered.
	mostOfSite = 64
	// leastRescored is how many of the best pages of a server are looked through, block after
	// block. The next surprise continues after them.
	leastRescored = 400
	// mostIdle ends the search after as many pages without a rise.
	mostIdle = 200
	// block is the number of similar pages of which one is scored. mostLift bounds the common
	// factor.
	block    = 8
	mostLift = 1000
)

// propagate reconsiders the pages that the outcome of a visit may have made worth more.
func (v *ranker) propagate(p sitegraph.PageID, surprise float32) {
	v.promoteOfSite(p, surprise)
	server := v.Pages.Graph.Server(p)
	n := &v.surprises[server]
	n.sum += surprise
	n.visits++
	n.inRound++
	if n.sum < surpriseThreshold || n.visits < n.inRound/3 {
		return
	}
	// The next search follows after half as many visits as this round has made here so far.
	n.sum, n.visits = 0, 0
	pages := max(int(n.inRound), leastRescored)
	if len(n.byScore.All) == 0 && !v.inScoreOrder(server, n) {
		return
	}
	for idle := 0; pages > 0 && idle < mostIdle && len(n.byScore.All) > 0; {
		next := v.scratch[:0]
		for len(next) < min(block*refreshed, pages) && len(n.byScore.All) > 0 {
			next = append(next, n.byScore.Take().Page)
		}
		v.scratch = next
		pages -= len(next)
		if idle += len(next); v.promoteSample(next) {
			idle = 0
		}
	}
}

// promoteOfSite reconsiders pages of a page's site, a few at a time, while the worth of some rises.
func (v *ranker) promoteOfSite(p sitegraph.PageID, surprise float32) {
	in := &v.groups.sites[v.groups.pages[p].site]
	if in.surprise += surprise; in.surprise < surpriseThreshold {
		return
	}
	in.surprise = 0
	for pages := int(min(in.pages-1, mostOfSite)); pages > 0; {
		rose := false
		for range min(pages, refreshed) {
			in.last = v.groups.pages[in.last].next
			if q := in.last; v.Pages.Refetchable(q) && v.reconsider(q, v.floor()) {
				rose = true
			}
		}
		if pages -= refreshed; !rose {
			return
		}
	}
}

// floor returns the worth from which a page is brought forward.
func (v *scorer) floor() float32 {
	if v.price > 0 && v.Mode == planner.Stream {
		return float32(v.price) / 2
	}
	return 0
}

// reconsider scores a page anew. It brings the page forward if its worth clearly rose, to at least
// `least`. Otherwise the old score stays. It reports whether the worth rose.
func (v *ranker) reconsider(p sitegraph.PageID, least float32) bool {
	before, scored := v.scores[p], v.groups.pages[p].scored
	v.rate(p)
	s := &v.scores[p]
	better := float64(s.worth) > (1+v.tolerance)*float64(before.worth)
	if better && s.worth >= least {
		v.bring(p)
		return true
	}
	*s, v.groups.pages[p].scored = before, scored
	return better
}

// promoteSample reconsiders one page of each block. If its worth rose, it raises the others and
// reports true.
func (v *ranker) promoteSample(pages []sitegraph.PageID) (rose bool) {
	least := v.floor()
	for some := range slices.Chunk(pages, block) {
		i := slices.IndexFunc(some, v.Pages.Refetchable)
		if i < 0 {
			continue
		}
		p := some[i]
		before := v.worth(p)
		if !v.reconsider(p, least) {
			continue
		}
		rose = true
		times := min(v.worth(p)/before, mostLift)
		for _, q := range some[i+1:] {
			s := &v.scores[q]
			switch lifted := s.worth * times; {
			case !v.Pages.Refetchable(q):
			case v.Mode == planner.Sweep:
				v.reconsider(q, least)
			case v.worth(p) >= least && lifted >= least:
				s.worth = lifted
				v.bring(q)
			}
		}
	}
	return rose
}

// inScoreOrder orders the pages of a server by their scores before effects. It reports whether
// there are any.
func (v *ranker) inScoreOrder(server sitegraph.ServerID, n *surpriseOf) bool {
	for _, p := range v.Pages.Graph.ServerPages(server) {
		if int(p) >= len(v.scores) {
			break
		}
		if s := &v.scores[p]; s.raw > 0 { // whether the page is open is checked later
			n.byScore.All = append(n.byScore.All,
				standing{Score: s.raw, Tie: v.ties.Of(p), Page: p})
		}
	}
	n.byScore.Order()
	return len(n.byScore.All) > 0
}

// bring makes a page a candidate of this round.
func (v *ranker) bring(p sitegraph.PageID) {
	if !v.Pages.InPlay(p) {
		v.Pages.Promote([]sitegraph.PageID{p})
	}
	v.push(p)
}
