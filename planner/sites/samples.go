package sites

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// samples plans samples, which are visits to learn from. A server that was quiet for weeks can be
// rebuilt in a day, or get a new section, and one sample shows it. Before that its pages are
// unlikely to have changed, so ranking alone does not visit them.
//
// A sample of a quiet page is worth
//
//	rebuilt * pages * (1 - price) + finds
//
// where rebuilt is how likely its server was rebuilt since the last sample, (1 - exp(-rebuiltRate *
// days)) times the ratio at which rebuilds prove true here (see rebuilds). pages are those of the
// server, at most a day's visits: so the product is what visits there then bring beyond those that
// they replace. finds are new pages that become known, in changes found. A sample is made where
// that is above the price, the worthiest first.
//
// Two more samples of any pages of the server follow a sample that finds a change at once, and so
// on, until what was seen there makes its pages worth a visit by themselves. There are no more of
// these in a round than of the others.
//
// A sweep has no price. It begins with samples of pages of each server, drawn from all of them: by
// the past alone those that used to change come first, and what was rebuilt since comes last; and
// where there is no past, a server of which the likeliest page has not changed would wait for all
// others.
type samples struct {
	last      []float32          // by server: days of the last sample of a quiet page of it
	start     []sitegraph.PageID // pages to look at on the first day
	started   []bool             // by server: whether its start page was planned
	startLeft int                // of these visits, those that the round has room for
	wanted    []sample           // of this round
	followUps []sample           // samples that follow others, the next one last
	left      int                // samples of this round that may still be made
	more      int                // samples that may still follow others
	carry     float64            // fraction of a sample carried over
	// samples of this round whose outcomes are not known, and whether they follow others; a page
	// can prove likelier than thought when it is chosen.
	underWay map[sitegraph.PageID]bool
	rebuilds rebuilds
}

// sample is one that is planned.
type sample struct {
	server     sitegraph.ServerID
	worth      float64
	days       float64 // since the last sample
	tie        float64 // of the server
	number     int     // of a sweep, or one that follows others: its number
	isFollowUp bool    // it follows one that found a change
}

const (
	// rebuiltRate is how often a server is rebuilt, per day. From a third to three times as much,
	// coverage of documentation is the same.
	rebuiltRate = 0.01
	// samplesShare bounds the visits of a round that are made to learn, and once more those
	// that follow them.
	samplesShare = 0.1
	// sweepSamples is the samples of a server that begin a sweep, by the root of its pages, and
	// mostSweepSamples of any.
	sweepSamples     = 0.1
	mostSweepSamples = 10
	// followUpSamples follow a sample that found a change; at a server at most mostFollowUps in a
	// round.
	followUpSamples = 2
	mostFollowUps   = 10
	// quietPart of the price: a page worth less is a quiet one.
	quietPart = 0.5
)

// newSample of a server, whatever it is worth.
func (v *Policy) newSample(s sitegraph.ServerID) sample {
	return sample{server: s, tie: rank.Tie(v.Seed, v.Corpus.Graph.ServerName(s))}
}

// begin plans the samples of a round: at which servers one is worth more than the price.
func (e *samples) begin(v *Policy, r planner.Round) {
	followUps, more := e.followUps, e.more
	e.wanted, e.followUps, e.left, e.more = e.wanted[:0], e.followUps[:0], 0, 0
	if !(v.price > 0) {
		return
	}
	share := samplesShare * min(float64(e.rebuilds.ofAll()), 1)
	e.carry = min(e.carry, 1) + share*float64(r.Budget)
	e.left = int(e.carry)
	e.carry -= float64(e.left)
	e.more = e.left
	// what a round has no room for is left to the next, within a day's share
	if v.groups.round < 1 {
		e.followUps = followUps
		e.more = max(min(more+e.left, int(samplesShare*v.PerDay)), e.left)
	}
	price := min(v.changesPrice()/v.Corpus.MeanWeight(), 1) // of a page of mean weight
	most := max(float64(r.Budget), v.PerDay)
	for s, looked := range e.last {
		days := float64(max(v.now-looked, 0)) // the clock may have been ahead
		pages := min(float64(v.rankings[s].alive), most)
		rebuilt := wasRebuilt(days) * float64(e.rebuilds.ratio(sitegraph.ServerID(s)))
		worth := rebuilt*pages*(1-price) + firstWorth*float64(e.rebuilds.finds())
		if worth > price && worth*v.Corpus.MeanWeight() >= float64(v.least) {
			want := v.newSample(sitegraph.ServerID(s))
			want.worth, want.days = worth, days
			e.wanted = append(e.wanted, want)
		}
	}
	slices.SortFunc(e.wanted, func(a, b sample) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.tie, b.tie))
	})
}

// wasRebuilt is how likely a server was rebuilt in so many days, by rebuiltRate alone.
func wasRebuilt(days float64) float64 { return -math.Expm1(-rebuiltRate * days) }

// starts plans a second look at the start page of each server that came to have many pages, on the
// first day or in the first part of a cycle: as many as half of the budget holds, those of the
// largest servers first.
func (e *samples) starts(v *Policy, r planner.Round) {
	g := v.Corpus.Graph
	wait := min(v.cycle, 1) * startWait
	for s := range sitegraph.ServerID(g.Servers()) {
		started := evidence.At(&e.started, s)
		if !*started && len(g.ServerPages(s)) >= leastOfStart {
			for _, p := range g.StartPages(s) {
				visits := v.Corpus.Memory(p).History.Visits
				if visits == 0 || v.now-v.groups.day(v.groups.pages[p].last) < wait {
					continue
				}
				*started = true
				if visits == 1 && v.Corpus.Refetchable(p) {
					e.start = append(e.start, p)
					break
				}
			}
		}
	}
	slices.SortFunc(e.start, func(a, b sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(len(g.ServerPages(g.Server(b))), len(g.ServerPages(g.Server(a)))),
			cmp.Compare(v.ties.Of(a), v.ties.Of(b)))
	})
	e.startLeft = max(r.Budget/2, 1)
}

const (
	// leastOfStart is how many pages a server has whose start page is looked at on the first day.
	leastOfStart = 10
	// startWait is how long after the first visit that is at least, in days or shorter cycles.
	startWait = 1. / 8
)

// sweep plans the samples that begin a sweep: the first at each server, then the second at those
// that get one.
func (e *samples) sweep(v *Policy, r planner.Round) {
	e.wanted, e.left = e.wanted[:0], 0
	alive := 0
	for s, of := range v.rankings {
		want := v.newSample(sitegraph.ServerID(s))
		looks := min(math.Ceil(sweepSamples*math.Sqrt(float64(of.alive))), mostSweepSamples)
		for want.number = range int(looks) {
			e.wanted = append(e.wanted, want)
		}
		alive += int(of.alive)
	}
	slices.SortFunc(e.wanted, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.tie, b.tie))
	})
	visits := r.Budget
	if visits == planner.Unlimited {
		visits = alive
	}
	e.left = min(len(e.wanted), int(samplesShare*float64(visits)))
}

// followUp adds samples of a server of which a quiet page has changed.
func (e *samples) followUp(v *Policy, s sitegraph.ServerID) {
	n := &v.surprises[s]
	// The server was rebuilt, as far as such looks proved to be right.
	pages := min(float64(v.rankings[s].alive), max(float64(v.Corpus.Round().Budget), v.PerDay))
	worth := min(float64(e.rebuilds.ratio(s)), 1) * pages *
		max(1-v.changesPrice()/v.Corpus.MeanWeight(), 0)
	if worth*v.Corpus.MeanWeight() < float64(v.least) {
		return
	}
	for range min(followUpSamples, e.more, mostFollowUps-int(n.followUps)) {
		n.followUps++
		e.more--
		want := v.newSample(s)
		want.number, want.isFollowUp, want.worth = int(n.followUps), true, worth
		e.followUps = append(e.followUps, want)
	}
}

// was reports whether a page that was visited was chosen for a sample, and for one that follows
// another; once.
func (e *samples) was(p sitegraph.PageID) (was, isFollowUp bool) {
	isFollowUp, was = e.underWay[p]
	delete(e.underWay, p)
	return was, isFollowUp
}

// take takes the next sample; false: there is none.
func (e *samples) take() (want sample, ok bool) {
	if last := len(e.followUps) - 1; last >= 0 {
		want, e.followUps = e.followUps[last], e.followUps[:last]
		return want, true
	}
	if e.left <= 0 || len(e.wanted) == 0 { // below 0: one was left by the round before
		return want, false
	}
	want, e.wanted = e.wanted[0], e.wanted[1:]
	return want, true
}

// next is a sample of the next server that is worth one.
func (e *samples) next(v *Policy) (planner.Visit, bool) {
	for ; len(e.start) > 0 && e.startLeft > 0; e.startLeft-- {
		p := e.start[0]
		e.start = e.start[1:]
		if v.Corpus.Refetchable(p) && !v.Corpus.Outside(p) {
			v.rate(p)
			v.bring(p)
			visit := v.visit(p)
			visit.Reason = planner.Because("the start page of its server, looked at on the first day")
			return visit, true
		}
	}
	for want, ok := e.take(); ok; want, ok = e.take() {
		// The server had its turn, even if it has no page to sample, or the visit fails.
		e.last[want.server] = v.now
		p, atRandom := v.samplePage(want)
		if p == sitegraph.NoPage {
			continue
		}
		if top := v.topBefore(p); top != sitegraph.NoPage {
			e.followUps = append(e.followUps, want) // it is next
			return v.choose(top, float32(want.worth*v.Corpus.MeanWeight())), true
		}
		if !want.isFollowUp {
			e.left--
			e.rebuilds.sampled(want.server, float32(wasRebuilt(want.days)))
		}
		e.underWay[p] = want.isFollowUp
		v.rate(p)
		v.bring(p)
		visit := v.visit(p)
		beside := want.worth*v.Corpus.MeanWeight() - visit.Probability*v.Corpus.Weight(p)
		visit.Beside = max(visit.Beside, beside)
		alive := v.rankings[want.server].alive
		if atRandom {
			visit.DrawnFrom = int(alive)
		}
		why := "nobody had one for %.3g days"
		switch {
		case v.Mode == planner.Sweep:
			why = "a sweep begins with some at each server"
		case want.isFollowUp:
			why = "another one had changed"
		}
		visit.Reason = planner.Because("a look at a quiet page of its server, which has %.0f: "+why,
			float64(alive), want.days)
		return visit, true
	}
	return planner.Visit{}, false
}

// mostConsidered is about how many pages a sample is chosen from at most. On a server with more
// pages it is chosen from every second of them, every third, and so on.
var mostConsidered = 4096

// samplePage draws one of a server. In a sweep, after a sample that found a change and one time in
// three any: what is rebuilt may be anywhere. Else the oldest copy of a list: new sections are
// linked there. So a link less from the start page counts as much as four times the age, and each
// directory that a page links to as much as its age once more.
func (v *Policy) samplePage(of sample) (page sitegraph.PageID, atRandom bool) {
	draw := rank.Mix(v.Seed ^ uint64(v.Corpus.Round().Number)<<32 ^ uint64(of.number)<<24 ^
		uint64(of.tie*(1<<52)))
	anyPage := v.Mode == planner.Sweep || of.isFollowUp || draw%3 == 0
	odd := uint32(draw>>8) | 1 // times an odd number: another order of the pages for each draw
	best, most := sitegraph.NoPage, math.Inf(-1)
	consider := func(p sitegraph.PageID, score float64) {
		if (score > most || score == most && v.ties.Of(p) < v.ties.Of(best)) && v.isQuiet(p) {
			best, most = p, score
		}
	}
	pages := v.Corpus.Graph.ServerPages(of.server)
	step := max(len(pages)/mostConsidered, 1)
	pages = pages[draw>>32%uint64(step):]
	if anyPage {
		for i := 0; i < len(pages); i += step {
			p := pages[i]
			consider(p, float64(math.Float32bits(v.ties.Of(p))*odd))
		}
		return best, true
	}
	end := int64(sitegraph.Unix32(v.Corpus.Round().End))
	old := func(p sitegraph.PageID) float64 {
		return float64(end-int64(v.groups.pages[p].last)) * lessByDepth[v.groups.depth(p)]
	}
	for i := 0; i < len(pages); i += step {
		p := pages[i]
		score := old(p)
		if score*(1+mostListed) >= most {
			score *= float64(1 + v.groups.lists(p))
		}
		consider(p, score)
	}
	return best, false
}

// lessByDepth is 1/4 for each link from the start page, by groups.depth.
var lessByDepth = func() (less [sitegraph.MaxDepth + 2]float64) {
	for depth := range less {
		less[depth] = math.Ldexp(1, -2*depth)
	}
	return less
}()

// isQuiet reports whether a page can be visited now, and a change of it would be unexpected: in a
// sweep that of any.
func (v *scorer) isQuiet(p sitegraph.PageID) bool {
	return v.Corpus.Refetchable(p) && !v.Corpus.Outside(p) &&
		(v.Mode == planner.Sweep || v.worthLittle(p))
}

// worthLittle reports whether a page is far below the price, so that nobody expects it to have
// changed.
func (v *scorer) worthLittle(p sitegraph.PageID) bool {
	return float64(v.worth(p)) < quietPart*v.price
}

// mostListed bounds the directories that a page is known to link to.
const mostListed = 254

// lists returns how many directories a page links to, at most mostListed.
func (g *groups) lists(p sitegraph.PageID) int {
	g.room = g.room[:0]
	for _, q := range g.corpus.Graph.Links(p) {
		if int(q) < len(g.pages) {
			g.room = append(g.room, g.corpus.Graph.Directory(q))
		}
	}
	slices.Sort(g.room)
	return min(len(slices.Compact(g.room)), mostListed)
}

// rebuilds learns what samples of quiet pages are good for on this web.
//
// On a web of documentation servers are rebuilt, and a sample shows it: where it finds a change,
// other quiet pages of its server have changed, too. On a web whose pages change one by one a
// change tells nothing of other pages, and samples are a waste. The two samples that follow one
// that found a change tell which it is, beyond what they find by chance: a quiet page may well have
// changed where the budget is large. So rebuilds that are seen are set beside those that were
// expected of the samples made: a gamma posterior of their ratio, for all servers and for each,
// whose prior is that of all (partial pooling).
//
// Samples find new pages as well. How many is learnt for all servers together.
type rebuilds struct {
	// Rebuilds that were expected of samples are counted, and those seen are added up.
	all     evidence.Mean
	servers []evidence.Mean
	// By server: the samples that follow one that found a change, and how many of them found one.
	// Those that have told are forgotten with the round.
	open    map[sitegraph.ServerID]followed
	samples float32 // that did not follow others
	found   float32 // pages that became known by them
}

// chance and spread are the mean and the variance of changed where nothing was rebuilt.
type followed struct{ samples, changed, chance, spread float32 }

const (
	// rebuildPrior is how many expected rebuilds the prior ratio of 1 counts for. The ratio of all
	// servers counts for serverRebuildPrior of them at each server.
	rebuildPrior       = 1.5
	serverRebuildPrior = 2
	// firstFinds is how many pages a sample is believed to find at first. That counts for
	// findsPrior samples.
	firstFinds = 0.5
	findsPrior = 20
	// mostChance bounds what is believed of a quiet page: one that is sure to change tells nothing.
	mostChance = 0.9
)

// sampled counts a sample of a server that was so likely to be rebuilt.
func (r *rebuilds) sampled(s sitegraph.ServerID, expected float32) {
	r.samples++
	r.all.Count += expected
	evidence.At(&r.servers, s).Count += expected
}

// discovered counts pages that became known by a sample.
func (r *rebuilds) discovered(pages int) { r.found += float32(min(pages, mostFound)) }

// begin forgets the samples of the round before that have told. Others go on: a round may have room
// for one alone.
func (r *rebuilds) begin() {
	maps.DeleteFunc(r.open, func(_ sitegraph.ServerID, of followed) bool {
		return of.samples == followUpSamples
	})
}

// follow takes in the outcome of a sample that follows one that found a change, of a page that was
// so likely to have changed by itself. The first two tell. Both changed is a rebuild, one of them
// counts as a quarter of one; what comes of that by chance is taken off.
func (r *rebuilds) follow(s sitegraph.ServerID, changed bool, chance float32) {
	if r.open == nil {
		r.open = map[sitegraph.ServerID]followed{}
	}
	of := r.open[s]
	if of.samples == followUpSamples {
		return // told already in this round
	}
	of.samples++
	if changed {
		of.changed++
	}
	chance = min(chance, mostChance)
	of.chance += chance
	of.spread += chance * (1 - chance)
	r.open[s] = of
	if of.samples == followUpSamples {
		const all = followUpSamples * followUpSamples
		byChance := (of.chance*of.chance + of.spread) / all // the mean of the square
		seen := (of.changed*of.changed/all - byChance) / (1 - byChance)
		for _, of := range [...]*evidence.Mean{&r.all, evidence.At(&r.servers, s)} {
			of.Sum = max(of.Sum+seen, 0)
		}
	}
}

// ratio is how many times as many servers prove to be rebuilt as are expected to be.
func (r *rebuilds) ratio(s sitegraph.ServerID) float32 {
	return evidence.At(&r.servers, s).Toward(r.ofAll(), serverRebuildPrior)
}

// ofAll is the ratio of all servers.
func (r *rebuilds) ofAll() float32 { return r.all.Toward(1, rebuildPrior) }

// finds is how many pages become known by a sample.
func (r *rebuilds) finds() float32 {
	return (r.found + firstFinds*findsPrior) / (r.samples + findsPrior)
}
