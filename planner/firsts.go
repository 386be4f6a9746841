package planner

import (
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// Links that lead nowhere go in runs: a folder that was not published, a version that was taken down. So what first
// visits met tells of the new pages of like address.
//
// A new page is there with the probability 1 - d, where d is the share of dead addresses among the last first visits to its
// address shape and to its directory, pulled by one visit's worth of belief toward that of its section, and that toward the
// server's, and so on. An address that was dead itself counts as two more.
//
// Where that is below a half, and the visit worth less than the price, the page waits, in each round anew. So that a folder
// that is published after all is found out, one such page of a server is asked for now and then, sooner if nobody asked
// for any like it.

const (
	// firstsKept bounds the first visits that a group goes by: what was dead can be there tomorrow.
	firstsKept = 16
	// firstWorth is what a first visit that meets a page is worth, in changes found. From half to twice as much real
	// histories bring the same.
	firstWorth = 2
	// doubtDays pass at a server between visits to pages that are not worth one by what is believed of them,
	// strangeDays where nobody asked for any of the same shape or directory.
	doubtDays   = 14
	strangeDays = 3
	// deadOnce is what it counts that an address was dead, in first visits.
	deadOnce = 2
	// usuallyDead is the share of dead addresses where nothing is known.
	usuallyDead = 0.1
)

// doubts are the visits to doubtful pages of a server.
type doubts struct {
	page  sitegraph.PageID // the last that was asked for
	asked float32          // days: then
	met   [2]float32       // days: the last whose outcome is known, of those like others and of strange ones
}

// answered counts a first visit that counts for so many, of the last ones.
func (e *evidence) answered(dead bool, weight float32) {
	if most := firstsKept - weight; e.firsts > most && weight == 1 {
		e.dead *= most / e.firsts
		e.firsts = most
	}
	e.firsts += weight
	if dead {
		e.dead += weight
	}
}

// deadShare of the first visits, pulled toward that of a larger group.
func (e *evidence) deadShare(parent float32) float32 { return (e.dead + parent) / (e.firsts + 1) }

// answered tells the groups of an address what its first visit met.
func (k *kinship) answered(p sitegraph.PageID, dead bool, weight float32) {
	of := k.lineage(p)
	for _, e := range [...]*evidence{&k.all, of.server, of.section, of.directory, of.shape} {
		e.answered(dead, weight)
	}
}

// rememberFirsts learns from what is known of each address whether it held a page, the less of it the longer ago that was
// before the newest: in weeks, one counts 1/2, two 1/3.
func (k *kinship) rememberFirsts() {
	first := func(m *Memory) uint32 {
		switch {
		case m.State == sitegraph.StateSource:
			return 0
		case m.dead():
			return m.Tried
		}
		return m.History.Epoch
	}
	newest := uint32(0)
	for p := range sitegraph.PageID(k.corpus.Pages()) {
		newest = max(newest, first(k.corpus.Memory(p)))
	}
	for p := range sitegraph.PageID(k.corpus.Pages()) {
		m := k.corpus.Memory(p)
		if at := first(m); at > 0 {
			k.answered(p, m.dead(), 1/(1+inDays(newest-at)/7))
		}
	}
}

// there is the probability that an address without a copy holds a page; strange: nobody asked for any of its shape or
// directory.
func (k *kinship) there(p sitegraph.PageID) (there float32, strange bool) {
	of := k.lineage(p)
	section := of.section.deadShare(of.server.deadShare(k.all.deadShare(usuallyDead)))
	dead, firsts := of.shape.dead+of.directory.dead, of.shape.firsts+of.directory.firsts
	if k.corpus.Memory(p).dead() {
		dead, firsts = dead+deadOnce, firsts+deadOnce
	}
	return 1 - (dead+section)/(firsts+1), firsts == 0
}

// Expect tells how likely a new page is to be there, and whether that is worth a visit beside the refetches that fit.
func (v *value) Expect(p sitegraph.PageID) (there float64, worth bool) {
	v.grow()
	share, strange := v.kin.there(p)
	there = float64(share)
	s := v.Corpus.Graph.Server(p)
	switch {
	case v.Mode != Stream || v.without == WithoutFirsts || there >= 0.5 || !(v.price > 0):
		return there, true
	case there*firstWorth*v.Corpus.Weight(p) >= v.price || slices.Contains(v.Corpus.Graph.StartPages(s), p):
		return there, true
	}
	d := &v.news[s].doubts
	kind, days := 0, float32(doubtDays)
	if strange {
		kind, days = 1, strangeDays
	}
	if d.asked == v.now || v.now-d.met[kind] < days {
		return there, false
	}
	d.page, d.asked = p, v.now
	return there, true
}

// first learns what the first visit to an address met. What is elsewhere, or must not be visited, tells nothing.
func (v *value) first(p sitegraph.PageID, dead bool) {
	d := &v.news[v.Corpus.Graph.Server(p)].doubts
	if d.page == p && d.asked > 0 {
		kind := 0
		if _, strange := v.kin.there(p); strange {
			kind = 1
		}
		if d.met[kind] = d.asked; !dead {
			d.met = [2]float32{} // there may be more: the next may follow at once
		}
		d.page = sitegraph.NoPage
	}
	v.kin.answered(p, dead, 1)
}
