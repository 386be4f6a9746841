package value

import (
	"maps"

	"github.com/recrawl/recrawl/sitegraph"
)

// rebuilds learns what probes of quiet pages are good for on this web.
//
// On a web of documentation servers are rebuilt, and a probe shows it: where it finds a change,
// other quiet pages of its server have changed, too. On a web whose pages change one by one a
// change tells nothing of other pages, and probes are a waste. The two probes that follow one that
// found a change tell which it is, beyond what they find by chance: a quiet page may well have
// changed where the budget is large. So rebuilds that are seen are set beside those that were
// expected of the probes made: a gamma posterior of their ratio, for all servers and for each,
// whose prior is that of all (partial pooling).
//
// Probes find new pages as well. How many is learnt for all servers together.
type rebuilds struct {
	all     rebuildCount
	servers []rebuildCount
	// By server: the probes that follow one that found a change, and how many of them found one.
	// Those that have told are forgotten with the round.
	open   map[sitegraph.ServerID]followed
	probes float32 // that did not follow others
	found  float32 // pages that became known by them
}

// rebuildCount is how many rebuilds were expected of probes, and how many proved to be some.
type rebuildCount struct{ expected, seen float32 }

// chance and spread are the mean and the variance of changed where nothing was rebuilt.
type followed struct{ probes, changed, chance, spread float32 }

const (
	// rebuildPrior is how many expected rebuilds the prior ratio of 1 counts for. The ratio of all
	// servers counts for serverRebuildPrior of them at each server.
	rebuildPrior       = 3
	serverRebuildPrior = 2
	// firstFinds is how many pages a probe is believed to find at first. That counts for findsPrior
	// probes.
	firstFinds = 0.5
	findsPrior = 20
	// mostChance bounds what is believed of a quiet page: one that is sure to change tells nothing.
	mostChance = 0.9
)

func (r *rebuilds) server(s sitegraph.ServerID) *rebuildCount {
	for int(s) >= len(r.servers) {
		r.servers = append(r.servers, rebuildCount{})
	}
	return &r.servers[s]
}

// probe counts a probe of a server that was so likely to be rebuilt.
func (r *rebuilds) probe(s sitegraph.ServerID, expected float32) {
	r.probes++
	r.all.expected += expected
	r.server(s).expected += expected
}

// discovered counts pages that became known by a probe.
func (r *rebuilds) discovered(pages int) { r.found += float32(min(pages, mostFound)) }

// begin forgets the probes of the round before that have told. Others go on: a round may have room
// for one alone.
func (r *rebuilds) begin() {
	maps.DeleteFunc(r.open, func(_ sitegraph.ServerID, of followed) bool {
		return of.probes == followUpProbes
	})
}

// follow takes in the outcome of a probe that follows one that found a change, of a page that was
// so likely to have changed by itself. The first two tell. Both changed is a rebuild, one of them
// counts as a quarter of one; what comes of that by chance is taken off.
func (r *rebuilds) follow(s sitegraph.ServerID, changed bool, chance float32) {
	if r.open == nil {
		r.open = map[sitegraph.ServerID]followed{}
	}
	of := r.open[s]
	if of.probes == followUpProbes {
		return // told already in this round
	}
	of.probes++
	if changed {
		of.changed++
	}
	chance = min(chance, mostChance)
	of.chance += chance
	of.spread += chance * (1 - chance)
	r.open[s] = of
	if of.probes == followUpProbes {
		const all = followUpProbes * followUpProbes
		byChance := (of.chance*of.chance + of.spread) / all // the mean of the square
		seen := (of.changed*of.changed/all - byChance) / (1 - byChance)
		r.all.see(seen)
		r.server(s).see(seen)
	}
}

// see adds what was seen of a rebuild, in the mean between none and one.
func (r *rebuildCount) see(rebuild float32) { r.seen = max(r.seen+rebuild, 0) }

// ratio is how many times as many servers prove to be rebuilt as are expected to be.
func (r *rebuilds) ratio(s sitegraph.ServerID) float32 {
	all := (r.all.seen + rebuildPrior) / (r.all.expected + rebuildPrior)
	if int(s) >= len(r.servers) {
		return all
	}
	own := r.servers[s]
	return (own.seen + all*serverRebuildPrior) / (own.expected + serverRebuildPrior)
}

// finds is how many pages become known by a probe.
func (r *rebuilds) finds() float32 {
	return (r.found + firstFinds*findsPrior) / (r.probes + findsPrior)
}
