package sites

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// An outcome can make other pages of its server worth more than they are ranked by. Where outcomes
// surprised, some pages are scored anew: those of the same site, and the best of the server.
//
// Scoring all of them would cost too much. So the pages are taken in the order of their scores, as
// long as some prove to be worth more.

// surpriseOf a server since the scores of its pages were made.
type surpriseOf struct {
	sum       float32 // sum of outcome - probability, where that is positive
	visits    int32
	inRound   int32
	followUps int32 // samples that followed others in this round
	// order is that of pages by their scores when it was made in this round, those not yet thought
	// of. Most servers need none.
	order standings `state:"-"`
}

const (
	// surpriseThreshold is the surprise at which other pages are thought of again.
	surpriseThreshold = 0.5
	// mostOfSite bounds the pages of a site that are.
	mostOfSite = 64
	// leastRescored of the best pages of a server are scored anew. The next surprise is for those
	// after them.
	leastRescored = 400
	// mostIdle are, one after the other, that are worth no more than before, and mostIdleOfSite of
	// a site: what was seen does not tell of those after them.
	mostIdle       = 200
	mostIdleOfSite = 8
)

// propagate thinks again of pages that what a visit to one saw may have made worth more.
func (v *ranker) propagate(p sitegraph.PageID, surprise float32) {
	v.promoteOfSite(p, surprise)
	server := v.Corpus.Graph.Server(p)
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
	if len(n.order.All) == 0 && !v.inScoreOrder(server, n) {
		return
	}
	for idle := 0; pages > 0 && idle < mostIdle && len(n.order.All) > 0; pages-- {
		idle++
		if q := n.order.Take().Page; v.Corpus.Refetchable(q) && v.reconsider(q, v.floor()) {
			idle = 0
		}
	}
}

// promoteOfSite thinks again of pages of the site of a page, as long as some prove to be worth
// more.
func (v *ranker) promoteOfSite(p sitegraph.PageID, surprise float32) {
	in := &v.groups.sites[v.groups.pages[p].site]
	if in.surprise += surprise; in.surprise < surpriseThreshold {
		return
	}
	in.surprise = 0
	idle := 0
	for pages := min(in.Pages-1, mostOfSite); pages > 0 && idle < mostIdleOfSite; pages-- {
		idle++
		in.last = v.groups.pages[in.last].next
		if q := in.last; v.Corpus.Refetchable(q) && v.reconsider(q, v.floor()) {
			idle = 0
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

// inScoreOrder ranks the pages of a server by their scores before effects; false: there are none.
func (v *ranker) inScoreOrder(server sitegraph.ServerID, n *surpriseOf) bool {
	for _, p := range v.Corpus.Graph.ServerPages(server) {
		if int(p) >= len(v.scores) {
			break
		}
		if s := &v.scores[p]; s.raw > 0 { // whether it is open is asked when it is its turn
			n.order.All = append(n.order.All, standing{Score: s.raw, Tie: v.ties.Of(p), Page: p})
		}
	}
	n.order.Order()
	return len(n.order.All) > 0
}

// bring makes a page a candidate of this round.
func (v *ranker) bring(p sitegraph.PageID) {
	if !v.Corpus.InPlay(p) {
		v.Corpus.Promote([]sitegraph.PageID{p})
	}
	v.push(p)
}
