package value

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Links that lead nowhere go in runs: a folder that was not published, a version that was taken
// down. So what first visits met tells of the new pages of like address.
//
// A new page is there with the probability 1 - d, where d is the share of dead addresses among the
// last first visits to its address shape and to its directory, pulled by one visit's worth of
// belief toward that of its section, and that toward the server's, and so on. An address that was
// dead itself counts as two more.
//
// To meet a page is worth firstWorth changes found. Where the visit is worth less than the price it
// waits, in each round anew: for a lower price, or, if the page is there as good as surely, for its
// turn, which comes within turnDays. So that a folder that is published after all is found out, one
// page of a server that is not so sure is asked for now and then, sooner if nobody asked for any
// like it.

const (
	// firstsKept bounds the first visits that a group goes by: what was dead can be there tomorrow.
	firstVisitsKept = 16
	// doubtDays pass at a server between visits to pages that are not worth one by what is believed
	// of them, strangeDays where nobody asked for any of the same shape or directory.
	trialDays      = 14
	unfamiliarDays = 3
	// deadOnce is what it counts that an address was dead, in first visits.
	deadOnce = 2
	// firstWorth is what it is worth to meet a page, in changes found. A price above it leaves
	// first visits to their turns.
	firstWorth = planner.FirstWorth
	turnDays   = 14
	// surelyThere is the probability from which an address has a turn: one dead address of many
	// must not close a folder.
	surelyThere = 0.95
	// usuallyDead is the share of dead addresses where nothing is known.
	priorDead = 0.1
)

// trials are the visits to doubtful pages of a server.
type trials struct {
	page       sitegraph.PageID // the last that was asked for
	unfamiliar bool             // nobody had asked for any like it
	asked      float32          // days: then
	// Days: the last whose outcome is known, of those like others and of strange ones.
	answered [2]float32
}

// trialKind is the place in met.
func trialKind(strange bool) int {
	if strange {
		return 1
	}
	return 0
}

// addFirstVisit counts one more first visit; of more than are kept the older ones count less.
func (e *evidence) addFirstVisit(dead bool) {
	e.capFirstVisits(firstVisitsKept - 1)
	e.firstVisits++
	if dead {
		e.dead++
	}
}

// capFirstVisits makes all that was answered count for so many first visits at most.
func (e *evidence) capFirstVisits(most float32) {
	if e.firstVisits > most {
		e.dead *= most / e.firstVisits
		e.firstVisits = most
	}
}

// deadShare of the first visits, pulled toward that of a larger group.
func (e *evidence) deadShare(parent float32) float32 {
	return (e.dead + parent) / (e.firstVisits + 1)
}

// addFirstVisit tells the groups of an address what its first visit met, now.
func (k *groupIndex) addFirstVisit(p sitegraph.PageID, dead bool) {
	of := k.groupsToTell(p)
	for _, e := range [...]*evidence{&k.all, of.server, of.section, of.directory, of.shape} {
		e.addFirstVisit(dead)
	}
}

// replayFirstVisits learns from what is known of each address whether it held a page, the less of
// it the longer ago that was before the newest: in weeks, one counts 1/2, two 1/3. What comes of it
// does not hang on the order of pages.
func (k *groupIndex) replayFirstVisits() {
	first := func(m *planner.Memory) uint32 {
		switch {
		case m.State == sitegraph.StateSource:
			return 0
		case m.NeverThere():
			return m.Tried
		}
		return m.History.Epoch
	}
	newest := uint32(0)
	for p := range sitegraph.PageID(k.corpus.Pages()) {
		newest = max(newest, first(k.corpus.Memory(p)))
	}
	type sum struct{ visits, dead float64 } // of many that count little
	var all sum
	servers, groups := make([]sum, len(k.servers)), make([]sum, len(k.list))
	for p := range sitegraph.PageID(k.corpus.Pages()) {
		m := k.corpus.Memory(p)
		at := first(m)
		if at == 0 {
			continue
		}
		counts, dead := 1/(1+float64(newest-at)/(7*24*60*60)), 0.0
		if m.NeverThere() {
			dead = counts
		}
		of := &k.pages[p]
		for _, s := range [...]*sum{&all, &servers[k.corpus.Graph.Server(p)],
			&groups[k.list[of.shape].section], &groups[of.directory], &groups[of.shape]} {
			s.visits += counts
			s.dead += dead
		}
	}
	keep := func(e *evidence, s sum) {
		e.firstVisits, e.dead = float32(s.visits), float32(s.dead)
		e.capFirstVisits(firstVisitsKept)
	}
	keep(&k.all, all)
	for i, s := range servers {
		if s.visits > 0 || k.servers[i].observed != &unobserved {
			keep(k.servers[i].own(), s)
		}
	}
	for i, s := range groups {
		if s.visits > 0 || k.list[i].observed != &unobserved {
			keep(k.own(int32(i)), s)
		}
	}
}

// there is the probability that an address without a copy holds a page; strange: nobody asked for
// any of its shape or directory.
func (k *groupIndex) there(p sitegraph.PageID) (there float32, strange bool) {
	of := k.groupsOf(p)
	section := of.section.deadShare(of.server.deadShare(k.all.deadShare(priorDead)))
	dead, visits := of.shape.dead+of.directory.dead, of.shape.firstVisits+of.directory.firstVisits
	if k.corpus.Memory(p).NeverThere() {
		dead, visits = dead+deadOnce, visits+deadOnce
	}
	return 1 - (dead+section)/(visits+1), visits == 0
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
	share, strange := v.groups.there(p)
	there := float64(share)
	s := v.Corpus.Graph.Server(p)
	switch {
	case v.Mode != planner.Stream || v.Without == WithoutFirstVisits || !(v.price > 0):
		return true
	case firstWorth*there*v.Corpus.Weight(p) >= v.changesPrice() ||
		slices.Contains(v.Corpus.Graph.StartPages(s), p):
		return true
	case there >= surelyThere:
		return v.turn(p)
	}
	days := float32(trialDays)
	if strange {
		days = unfamiliarDays
	}
	d := &v.discovery.servers[s].trials
	if d.asked == v.now || v.now-d.answered[trialKind(strange)] < days {
		return false
	}
	d.page, d.unfamiliar, d.asked = p, strange, v.now
	return true
}

// turn reports whether a new page has had its turn since it was last asked for, or since the round
// before. It has it until it is visited.
func (v *Policy) turn(p sitegraph.PageID) bool {
	page, ok := v.discovery.newPages[p]
	if !ok {
		page.from = sitegraph.NoPage
	}
	if page.asked == 0 {
		page.asked = v.discovery.before
	}
	turns := func(days float32) float64 {
		return math.Floor(float64(days)/turnDays - float64(v.ties.Of(p)))
	}
	its := turns(v.now) > turns(page.asked)
	if !its {
		page.asked = v.now
	}
	v.discovery.newPages[p] = page
	return its
}

// first learns what the first visit to an address met. What is elsewhere, or must not be visited,
// tells nothing.
func (v *Policy) first(p sitegraph.PageID, dead bool) {
	d := &v.discovery.servers[v.Corpus.Graph.Server(p)].trials
	if d.page == p {
		if d.answered[trialKind(d.unfamiliar)] = d.asked; !dead {
			d.answered = [2]float32{} // there may be more: the next may follow at once
		}
		d.page = sitegraph.NoPage
	}
	v.groups.addFirstVisit(p, dead)
}
