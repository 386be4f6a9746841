package sites

import (
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// An outcome can make other pages of its server worth more than they are ranked by. Where outcomes
// surprised, some pages are scored anew: those of the same site, and the best of the server.
//
// Scoring all of them would cost too much. So the pages are taken in the order of their scores, in
// blocks of similar ones. One page of each block is scored anew; where its worth rose, the worth of
// the others is raised by the same factor. Their own scores are made anew when it is their turn. In
// a sweep, which is judged by its order, all are scored at once.

// surpriseOf a server since the scores of its pages were made.
type surpriseOf struct {
	sum       float32 // sum of outcome - probability, where that is positive
	visits    int32
	inRound   int32
	followUps int32 // samples that followed others in this round
	// byScore has the pages that were not thought of again in this round, by their scores when the
	// first surprise came. Most servers need none.
	byScore standings `state:"-"`
}

const (
	// surpriseThreshold is the surprise at which other pages are thought of again.
	surpriseThreshold = 0.5
	// mostOfSite bounds the pages of a site that are.
	mostOfSite = 64
	// leastRescored is how many of the best pages of a server are looked through, a block after the
	// other. The next surprise is for those after them.
	leastRescored = 400
	// mostIdle pages are looked through without one that is worth more than before: what was seen
	// does not tell of those after them.
	mostIdle = 200
	// block is the pages of which one is scored anew; by mostLift times at most it lifts the
	// others.
	block    = 8
	mostLift = 1000
)

// propagate thinks again of pages that what a visit to one saw may have made worth more.
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
	// Until the next time half as many visits more are made here: to the best of them.
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

// promoteOfSite thinks again of pages of the site of a page, a few at a time, as long as some came
// to be worth more.
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

// floor is the worth from which a page is brought forward.
func (v *scorer) floor() float32 {
	if v.price > 0 && v.Mode == planner.Stream {
		return float32(v.price) / 2
	}
	return 0
}

// reconsider scores a page anew, and brings it forward if it came to be worth clearly more than it
// was ranked by, and so much at least. If not, its score stays what it is ranked by.
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

// promoteSample scores one page of each block anew, and where it came to be worth more lifts the
// others; it reports whether there were any.
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

// inScoreOrder ranks the pages of a server by their scores before effects; false: there are none.
func (v *ranker) inScoreOrder(server sitegraph.ServerID, n *surpriseOf) bool {
	for _, p := range v.Pages.Graph.ServerPages(server) {
		if int(p) >= len(v.scores) {
			break
		}
		if s := &v.scores[p]; s.raw > 0 { // whether it is open is asked when it is its turn
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
