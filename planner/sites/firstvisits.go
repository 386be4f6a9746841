package sites

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Links that lead nowhere go in runs: a folder that was not published, a version that was taken
// down. So what first visits met tells of the new pages of like address.
//
// A new page is there with the probability 1 - d, where d is the share of dead addresses among the
// last first visits to its directory, pulled toward that of its server, and that toward that of
// all.
//
// To meet a page is worth firstWorth changes found. Where the visit is worth less than the price it
// waits, in each round anew: for a lower price, or, if the page is there as good as surely, for its
// turn, which comes within turnDays. So that a folder that is published after all is found out, one
// page of a server that is not so sure is asked for now and then, sooner if nobody asked for any
// like it. If it is there, one of its directory may follow in each round, until one is dead.

const (
	// firstVisitsKept bounds the first visits that a group goes by: what was dead can be there
	// tomorrow.
	firstVisitsKept = 16
	// serverVisits is how many first visits the share of a server counts for in a directory: few,
	// as whole directories are there or not.
	serverVisits = 0.5
	// trialDays pass at a server before a visit to a page that is not worth one by what is believed
	// of it, fewer the likelier it is there, and unfamiliarDays at most where nobody asked for any
	// of the same directory.
	trialDays      = 14
	unfamiliarDays = 3
	// firstWorth is what it is worth to meet a page, in changes found.
	firstWorth = planner.FirstWorth
	// surelyThere is the probability from which an address has a turn at any price. Without turns a
	// news site in rounds of an hour finds a tenth fewer changes.
	surelyThere = 0.95
	turnDays    = 14
	// priorDead is the share of dead addresses where nothing is known.
	priorDead = 0.1
)

// trial is the last visit to a doubtful page of a server.
type trial struct {
	page     sitegraph.PageID // that was asked for, and whose outcome is not known
	asked    float32          // days: then
	answered float32          // days: when the last was asked for whose outcome is known
	met      int32            // directory of the last that met a page; -1: it proved dead since
}

// firstVisit tells the groups of an address what its first visit met.
func (g *groups) firstVisit(p sitegraph.PageID, dead bool) {
	g.dead.See(g.corpus.Graph.Server(p), dead, firstVisitsKept-1)
	g.directory(p).dead.See(dead, firstVisitsKept-1)
}

// directory returns what is known of the directory of a page.
func (g *groups) directory(p sitegraph.PageID) *directory {
	return evidence.At(&g.directories, g.corpus.Graph.Directory(p))
}

// there returns the probability that an address without a copy holds a page, and whether it is
// unfamiliar: nobody asked for any of its directory.
func (g *groups) there(p sitegraph.PageID) (there float32, unfamiliar bool) {
	server := g.dead.Of(g.corpus.Graph.Server(p), 1, priorDead, 1)
	own := &g.directory(p).dead
	return 1 - own.Toward(server, serverVisits), own.Count == 0
}

// Expect is the probability that an address without a copy holds a page.
func (v *Policy) Expect(p sitegraph.PageID) float64 {
	v.grow()
	there, _ := v.groups.there(p)
	return float64(there)
}

// TakesFirst reports whether the first visit to an address is worth one of this round beside the
// refetches that fit.
func (v *Policy) TakesFirst(p sitegraph.PageID) bool {
	v.grow()
	share, unfamiliar := v.groups.there(p)
	there := float64(share)
	s := v.Pages.Graph.Server(p)
	if v.Mode != planner.Stream || !(v.price > 0) ||
		firstWorth*there*v.Pages.Weight(p) >= v.changesPrice() ||
		slices.Contains(v.Pages.Graph.StartPages(s), p) {
		return true
	}
	if there >= surelyThere {
		return v.turn(p)
	}
	days := trialDays * (1 - share)
	if unfamiliar {
		days = min(days, unfamiliarDays)
	}
	t := &v.trials[s]
	if t.asked == v.now || v.now-t.answered < days && t.met != v.Pages.Graph.Directory(p) {
		return false
	}
	t.page, t.asked = p, v.now
	return true
}

// turn reports whether a new page has had its turn since it was last asked for, or since the round
// before. It has it until it is visited.
func (v *Policy) turn(p sitegraph.PageID) bool {
	asked, ok := v.turns[p]
	if !ok {
		asked = v.before
	}
	turns := func(days float32) float64 {
		return math.Floor(float64(days)/turnDays - float64(v.ties.Of(p)))
	}
	if turns(v.now) > turns(asked) {
		return true
	}
	v.turns[p] = v.now
	return false
}

// first learns what the first visit to an address met. What is elsewhere, or must not be visited,
// tells nothing.
func (v *Policy) first(p sitegraph.PageID, dead bool) {
	if t := &v.trials[v.Pages.Graph.Server(p)]; t.page == p {
		t.page, t.answered = sitegraph.NoPage, t.asked
		switch directory := v.Pages.Graph.Directory(p); {
		case !dead: // there may be more: the next may follow at once
			t.answered, t.met = 0, directory
		case t.met == directory:
			t.met = -1
		}
	}
	v.groups.firstVisit(p, dead)
}
