package sites

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Dead links come in runs: a folder was never published, or a version was taken down. So the
// outcomes of first visits predict those of new pages in the same directory.
//
// A new address holds a page with the probability 1 - d. Here d is the share of dead addresses
// among the last first visits to its directory, pulled toward the share of its server, which is
// pulled toward the share of all servers.
//
// Meeting a page is worth firstWorth changes found. An address whose visit is worth less than the
// price waits. Each round judges it anew, since the price may fall. If it almost surely holds a
// page, its turn comes within turnDays. Any other server gets a trial visit now and then, sooner in
// directories without first visits: so a folder that is published late is found. If the trial meets
// a page, one more of its directory may follow in each round, until one is dead.

const (
	// firstVisitsKept bounds the first visits that a group remembers: dead addresses may revive.
	firstVisitsKept = 16
	// serverVisits is the weight of the server's share in a directory, in first visits. It is small
	// because whole directories are alive or dead.
	serverVisits = 0.5
	// trialDays pass at a server before a trial visit to a page that is not worth the price. They
	// are fewer the likelier the page is there, and at most unfamiliarDays in directories without
	// first visits.
	trialDays      = 14
	unfamiliarDays = 3
	// firstWorth is the worth of meeting a page, in changes found.
	firstWorth = planner.FirstWorth
	// surelyThere is the probability from which an address gets a turn at any price. Without turns
	// a news site in rounds of an hour finds a tenth fewer changes.
	surelyThere = 0.95
	turnDays    = 14
	// priorDead is the share of dead addresses before any first visit.
	priorDead = 0.1
)

// trial holds the last visits to doubtful pages of a server.
type trial struct {
	page     sitegraph.PageID // asked for, its outcome still unknown
	asked    float32          // days: when page was asked for
	answered float32          // days: when the last page with an outcome was asked for
	met      int32            // directory of the last page met; -1: a later one was dead
}

// firstVisit records the outcome of a first visit in the groups of its address.
func (g *groups) firstVisit(p sitegraph.PageID, dead bool) {
	g.dead.See(g.corpus.Graph.Server(p), dead, firstVisitsKept-1)
	g.directory(p).dead.See(dead, firstVisitsKept-1)
}

// directory returns what is known of the directory of a page.
func (g *groups) directory(p sitegraph.PageID) *directory {
	return evidence.At(&g.directories, g.corpus.Graph.Directory(p))
}

// there returns the probability that an address without a copy holds a page. unfamiliar is set if
// its directory had no first visits yet.
func (g *groups) there(p sitegraph.PageID) (there float32, unfamiliar bool) {
	server := g.dead.Of(g.corpus.Graph.Server(p), 1, priorDead, 1)
	own := &g.directory(p).dead
	return 1 - own.Toward(server, serverVisits), own.Count == 0
}

// Expect returns the probability that an address without a copy holds a page.
func (v *Policy) Expect(p sitegraph.PageID) float64 {
	v.grow()
	there, _ := v.groups.there(p)
	return float64(there)
}

// TakesFirst reports whether a first visit is worth a place in this round beside the refetches.
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

// turn reports whether the turn of a new page has come since it was last asked about, or since the
// round before. The turn lasts until the page is visited.
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

// first learns the outcome of a first visit. Redirects and forbidden addresses teach nothing.
func (v *Policy) first(p sitegraph.PageID, dead bool) {
	if t := &v.trials[v.Pages.Graph.Server(p)]; t.page == p {
		t.page, t.answered = sitegraph.NoPage, t.asked
		switch directory := v.Pages.Graph.Directory(p); {
		case !dead: // more may be alive: the next trial may follow at once
			t.answered, t.met = 0, directory
		case t.met == directory:
			t.met = -1
		}
	}
	v.groups.firstVisit(p, dead)
}
