package sites

import (
	"cmp"
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
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
// where rebuilt is the probability that its server was rebuilt since the last sample: (1 -
// exp(-rebuiltRate * days)) times the ratio of rebuilds found to rebuilds expected. pages is the
// number of the server's pages, at most a day's visits. So the product is the gain of visits to
// this server over those that they replace. finds is the worth of the new pages that a sample makes
// known, in changes found. Samples above the price are made, the highest worth first.
//
// A sample that finds a change is followed by two more of any pages of the server, and so on, until
// the outcomes there make its pages worth a visit by themselves. A round has at most as many
// follow-ups as samples. The first two prove whether the server was rebuilt: on a web of
// documentation they find changes. Where pages change one by one they find no more than samples of
// quiet pages do, and samples are a waste.
//
// A sweep has no price. It begins with samples of each server, drawn from all its pages. Otherwise
// pages that used to change would come first, and recently rebuilt ones last. Without a past, a
// server whose likeliest page has not changed would wait for all other servers.
type samples struct {
	last      []float32          // by server: days of the last sample of a quiet page
	start     []sitegraph.PageID // start pages to look at on the first day
	wanted    []sample           // samples planned for this round
	followUps []sample           // samples that follow others, the next one last
	left      int                // samples of this round that may still be made
	more      int                // samples that may still follow others
	carry     float64            // fraction of a sample carried over
	// underWay has the samples of this round without an outcome yet, and whether each follows
	// another. Its page may no longer be quiet: choosing it makes its score anew.
	underWay map[sitegraph.PageID]bool
	rebuilds evidence.Proven // of servers, shown by samples
	finds    evidence.Mean   // pages found by a sample that followed no other
}

// sample is a planned sample of a server.
type sample struct {
	server sitegraph.ServerID
	worth  float64
	days   float64 // since the last sample
	tie    float64 // of the server
	// number tells samples of a server apart, in a sweep or among those that follow others.
	number     int
	isFollowUp bool // whether it follows one that found a change
}

const (
	// rebuiltRate is how often a server is rebuilt, per day. Values between a third and three times
	// this one give the same coverage of documentation.
	rebuiltRate = 0.01
	// samplesShare bounds the share of a round's visits that are samples; as many may follow.
	samplesShare = 0.1
	// sweepSamples times the root of a server's pages gives its samples in a sweep.
	sweepSamples     = 0.1
	mostSweepSamples = 10
	// mostFollowUps bounds the samples that follow others at a server in a round.
	mostFollowUps = 10
	// quietPart is the share of the price below which a page counts as quiet.
	quietPart = 0.5
	// firstFinds is how many pages a sample finds by prior belief, of the weight of findsPrior
	// samples.
	firstFinds = 0.5
	findsPrior = 8
)

// newSample returns a sample of a server, without its worth.
func (v *Policy) newSample(s sitegraph.ServerID) sample {
	return sample{server: s, tie: planner.Tie(v.Seed, v.Pages.Graph.ServerName(s))}
}

// begin plans the samples of a round, at servers where one is worth more than the price.
func (e *samples) begin(v *Policy, r planner.Round) {
	followUps, more := e.followUps, e.more
	e.wanted, e.followUps, e.left, e.more = e.wanted[:0], e.followUps[:0], 0, 0
	if !(v.price > 0) {
		return
	}
	share := samplesShare * min(float64(e.rebuilds.All()), 1)
	e.carry = min(e.carry, 1) + share*float64(r.Budget)
	e.left = int(e.carry)
	e.carry -= float64(e.left)
	e.more = e.left
	// samples that a round has no room for wait for the next, within a day's share
	if v.groups.round < 1 {
		e.followUps = followUps
		e.more = max(min(more+e.left, int(samplesShare*v.PerDay)), e.left)
	}
	finds := firstWorth * float64(e.found())
	for i, looked := range e.last {
		s := sitegraph.ServerID(i)
		days := float64(max(v.now-looked, 0)) // the clock may have been ahead
		worth := v.worthRebuilt(s, wasRebuilt(days)*float64(e.rebuilds.Ratio(s))) + finds
		if worth > v.meanPrice() && worth*v.Pages.MeanWeight() >= float64(v.least) {
			want := v.newSample(s)
			want.worth, want.days = worth, days
			e.wanted = append(e.wanted, want)
		}
	}
	slices.SortFunc(e.wanted, func(a, b sample) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.tie, b.tie))
	})
}

// meanPrice returns the price of a page of mean weight, in changes found.
func (v *Policy) meanPrice() float64 { return min(v.changesPrice()/v.Pages.MeanWeight(), 1) }

// worthRebuilt returns how many more changes visits to a server find than the visits they replace,
// if the server was rebuilt with the given probability.
func (v *Policy) worthRebuilt(s sitegraph.ServerID, rebuilt float64) float64 {
	pages := min(float64(v.rankings[s].alive), max(float64(v.Pages.Round().Budget), v.PerDay))
	return rebuilt * pages * (1 - v.meanPrice())
}

// found returns how many pages a sample is expected to find, on any server.
func (e *samples) found() float32 { return e.finds.Toward(firstFinds, findsPrior) }

// wasRebuilt returns the probability by rebuiltRate alone that a server was rebuilt in some days.
func wasRebuilt(days float64) float64 { return -math.Expm1(-rebuiltRate * days) }

// starts plans a second look at the start page of each server that became large, on the first day
// or in the first part of a cycle. Larger servers come first; half of the budget bounds them.
func (e *samples) starts(v *Policy, r planner.Round) {
	g := v.Pages.Graph
	wait := min(v.cycle, 1) * startWait
	e.start = e.start[:0]
	for s := range sitegraph.ServerID(g.Servers()) {
		for _, p := range g.StartPages(s) {
			visits := v.Pages.Memory(p).History.Visits
			if visits == 1 && len(g.ServerPages(s)) >= leastOfStart && v.Pages.Refetchable(p) &&
				v.now-v.groups.day(v.groups.pages[p].last) >= wait {
				e.start = append(e.start, p)
			}
			if visits > 0 {
				break
			}
		}
	}
	slices.SortFunc(e.start, func(a, b sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(len(g.ServerPages(g.Server(b))), len(g.ServerPages(g.Server(a)))),
			cmp.Compare(v.ties.Of(a), v.ties.Of(b)))
	})
	e.start = e.start[:min(len(e.start), max(r.Budget/2, 1))]
}

const (
	// leastOfStart is how many pages make a server large enough for a second look at its start
	// page.
	leastOfStart = 10
	// startWait is the least time between these two looks, as a share of a day or shorter cycle.
	startWait = 1. / 8
)

// sweep plans the samples that begin a sweep: the first of each server, then the second, and so on.
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

// followUp adds samples of a server after a quiet page of it had changed.
func (e *samples) followUp(v *Policy, s sitegraph.ServerID) {
	n := &v.surprises[s]
	// The server was rebuilt, with the reliability that such looks have shown.
	worth := v.worthRebuilt(s, min(float64(e.rebuilds.Ratio(s)), 1))
	if worth*v.Pages.MeanWeight() < float64(v.least) {
		return
	}
	for range min(evidence.ProvingLooks, e.more, mostFollowUps-int(n.followUps)) {
		n.followUps++
		e.more--
		want := v.newSample(s)
		want.number, want.isFollowUp, want.worth = int(n.followUps), true, worth
		e.followUps = append(e.followUps, want)
	}
}

// nextPlanned takes the next sample; false if there is none.
func (e *samples) nextPlanned() (want sample, ok bool) {
	if last := len(e.followUps) - 1; last >= 0 {
		want, e.followUps = e.followUps[last], e.followUps[:last]
		return want, true
	}
	if e.left <= 0 || len(e.wanted) == 0 { // below 0: the round before left one over
		return want, false
	}
	want, e.wanted = e.wanted[0], e.wanted[1:]
	return want, true
}

// next returns a visit to a sample of the next server that is worth one.
func (e *samples) next(v *Policy) (planner.Visit, bool) {
	for len(e.start) > 0 {
		p := e.start[0]
		e.start = e.start[1:]
		if v.Pages.Refetchable(p) && !v.Pages.Outside(p) {
			v.rate(p)
			v.bring(p)
			visit := v.visit(p)
			visit.Reason = planner.Because("the start page of its server, looked at on the first day")
			return visit, true
		}
	}
	for want, ok := e.nextPlanned(); ok; want, ok = e.nextPlanned() {
		// The server has had its turn, even if it has no page to sample or the visit fails.
		e.last[want.server] = v.now
		p, atRandom := v.samplePage(want)
		if p == sitegraph.NoPage {
			continue
		}
		if top := v.topBefore(p); top != sitegraph.NoPage {
			e.followUps = append(e.followUps, want) // it comes next
			return v.choose(top, float32(want.worth*v.Pages.MeanWeight())), true
		}
		if !want.isFollowUp {
			e.left--
			e.finds.Count++
			e.rebuilds.Expect(want.server, float32(wasRebuilt(want.days)))
		}
		e.underWay[p] = want.isFollowUp
		v.rate(p)
		v.bring(p)
		visit := v.visit(p)
		beside := want.worth*v.Pages.MeanWeight() - visit.Probability*v.Pages.Weight(p)
		visit.Beside = max(visit.Beside, beside)
		alive := v.rankings[want.server].alive
		if atRandom {
			visit.DrawnFrom = int(alive)
		}
		why := "nobody had one for %s"
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

// mostConsidered bounds the pages that a sample is chosen from, approximately. A larger server
// offers every second page, every third, and so on.
var mostConsidered = 4096

// samplePage draws the page of a sample. In a sweep, after a sample that found a change, and in one
// of three other draws it may be any page, since a rebuild can be anywhere. Otherwise it is an old
// copy of a list, since lists link new sections: one link less from the start page counts as four
// times the age, and each linked directory as the age once more.
func (v *Policy) samplePage(of sample) (page sitegraph.PageID, atRandom bool) {
	draw := planner.MixHash(v.Seed ^ uint64(v.Pages.Round().Number)<<32 ^ uint64(of.number)<<24 ^
		uint64(of.tie*(1<<52)))
	anyPage := v.Mode == planner.Sweep || of.isFollowUp || draw%3 == 0
	odd := uint32(draw>>8) | 1 // an odd factor gives each draw another order of the pages
	end := int64(sitegraph.Unix32(v.Pages.Round().End))
	best, most := sitegraph.NoPage, math.Inf(-1)
	pages := v.Pages.Graph.ServerPages(of.server)
	step := max(len(pages)/mostConsidered, 1)
	for i := int(draw >> 32 % uint64(step)); i < len(pages); i += step {
		p := pages[i]
		score := float64(math.Float32bits(v.ties.Of(p)) * odd)
		if !anyPage {
			age := float64(end - int64(v.groups.pages[p].last))
			score = math.Ldexp(age, -2*v.groups.depth(p))
			if score*(1+mostListed) >= most {
				score *= float64(1 + v.groups.lists(p))
			}
		}
		if (score > most || score == most && v.ties.Of(p) < v.ties.Of(best)) && v.isQuiet(p) {
			best, most = p, score
		}
	}
	return best, anyPage
}

// mostListed bounds the directories of a page's links that count.
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

// isQuiet reports whether a page can be visited now and, except in sweeps, no change is expected.
func (v *scorer) isQuiet(p sitegraph.PageID) bool {
	return (v.Mode == planner.Sweep || v.worthLittle(p)) && v.Pages.Refetchable(p) &&
		!v.Pages.Outside(p)
}

// worthLittle reports whether a page is worth far less than the price: no change is expected.
func (v *scorer) worthLittle(p sitegraph.PageID) bool {
	return float64(v.worth(p)) < quietPart*v.price
}
