package value

import (
	"cmp"
	"math"
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// exploration makes probes: visits to learn from. A server that was quiet for weeks can be rebuilt
// in a day, or get a new section, and one probe shows it. Before that its pages are unlikely to
// have changed, so ranking alone does not visit them.
//
// A probe of a quiet page is worth
//
//	rebuilt * pages * (1 - price) + finds
//
// where rebuilt is how likely its server was rebuilt since the last probe, (1 - exp(-rebuiltRate *
// days)) times the ratio at which rebuilds prove true here (rebuilt.go). pages are those of the
// server, at most a day's visits: so the product is what visits there then bring beyond those that
// they replace. finds are new pages that become known, in changes found. A probe is made where that
// is above the price, the worthiest first.
//
// Two more probes of any pages of the server follow a probe that finds a change at once, and so on,
// until what was seen there makes its pages worth a visit by themselves. There are no more of these
// in a round than of the others.
//
// A sweep has no price. It begins with probes of pages of each server, drawn from all of them: by
// the past alone those that used to change come first, and what was rebuilt since comes last; and
// where there is no past, a server of which the likeliest page has not changed would wait for all
// others.
type exploration struct {
	lastProbe []float32 // by server: days of the last probe of a quiet page of it
	wanted    []probe   // of this round
	followUps []probe   // probes that follow others, the next one last
	left      int       // probes of this round that may still be made
	more      int       // probes that may still follow others
	carry     float64   // fraction of a probe carried over
	// probes of this round whose outcomes are not known, and whether they follow others; a page can
	// prove likelier than thought when it is chosen.
	underWay map[sitegraph.PageID]bool
	rebuilds rebuilds
}

// probe is one that is planned.
type probe struct {
	server     sitegraph.ServerID
	worth      float64
	days       float64 // since the last probe
	tie        float64 // of the server
	number     int     // of a sweep, or one that follows others: its number
	isFollowUp bool    // it follows one that found a change
}

const (
	// rebuiltRate is how often a server is rebuilt, per day. From a third to three times as much,
	// coverage of documentation is the same.
	rebuiltRate = 0.01
	// explorationShare bounds the visits of a round that are made to learn, and once more those
	// that follow them.
	explorationShare = 0.1
	// sweepProbes is the probes of a server that begin a sweep, by the root of its pages, and
	// mostSweepProbes of any.
	sweepProbes     = 0.1
	mostSweepProbes = 10
	// followUpProbes follow a probe that found a change; at a server at most mostFollowUps in a
	// round.
	followUpProbes = 2
	mostFollowUps  = 10
	// quietPart of the price: a page worth less is a quiet one.
	quietPart = 0.5
)

// newProbe of a server, whatever it is worth.
func (v *Policy) newProbe(s sitegraph.ServerID) probe {
	return probe{server: s, tie: rank.Tie(v.Seed, v.Corpus.Graph.ServerName(s))}
}

// begin finds the servers worth a probe.
func (e *exploration) begin(v *Policy, r planner.Round) {
	followUps, more := e.followUps, e.more
	e.wanted, e.followUps, e.left, e.more = e.wanted[:0], e.followUps[:0], 0, 0
	if !(v.price > 0) {
		return
	}
	e.carry = min(e.carry, 1) + explorationShare*float64(r.Budget)
	e.left = int(e.carry)
	e.carry -= float64(e.left)
	e.more = e.left
	// what a round has no room for is left to the next, within a day's share
	if v.groups.round < 1 {
		e.followUps = followUps
		e.more = max(min(more+e.left, int(explorationShare*v.PerDay)), e.left)
	}
	price := min(v.changesPrice()/v.Corpus.MeanWeight(), 1) // of a page of mean weight
	most := max(float64(r.Budget), v.PerDay)
	for s, looked := range e.lastProbe {
		days := float64(max(v.now-looked, 0)) // the clock may have been ahead
		pages := min(float64(v.rankings.of[s].alive), most)
		rebuilt := wasRebuilt(days) * float64(e.rebuilds.ratio(sitegraph.ServerID(s)))
		worth := rebuilt*pages*(1-price) + firstWorth*float64(e.rebuilds.finds())
		if worth > price && worth*v.Corpus.MeanWeight() >= float64(v.least) {
			want := v.newProbe(sitegraph.ServerID(s))
			want.worth, want.days = worth, days
			e.wanted = append(e.wanted, want)
		}
	}
	slices.SortFunc(e.wanted, func(a, b probe) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.tie, b.tie))
	})
}

// wasRebuilt is how likely a server was rebuilt in so many days, by rebuiltRate alone.
func wasRebuilt(days float64) float64 { return -math.Expm1(-rebuiltRate * days) }

// sweep plans the probes that begin a sweep: the first at each server, then the second at those
// that get one.
func (e *exploration) sweep(v *Policy, r planner.Round) {
	e.wanted, e.left = e.wanted[:0], 0
	alive := 0
	for s, of := range v.rankings.of {
		want := v.newProbe(sitegraph.ServerID(s))
		looks := min(math.Ceil(sweepProbes*math.Sqrt(float64(of.alive))), mostSweepProbes)
		for want.number = range int(looks) {
			e.wanted = append(e.wanted, want)
		}
		alive += int(of.alive)
	}
	slices.SortFunc(e.wanted, func(a, b probe) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.tie, b.tie))
	})
	visits := r.Budget
	if visits == planner.Unlimited {
		visits = alive
	}
	e.left = min(len(e.wanted), int(explorationShare*float64(visits)))
}

// followUp adds probes of a server of which a quiet page has changed.
func (e *exploration) followUp(v *Policy, s sitegraph.ServerID, n *surpriseOf) {
	// The server was rebuilt, as far as such looks proved to be right.
	pages := min(float64(v.rankings.of[s].alive), max(float64(v.Corpus.Round().Budget), v.PerDay))
	worth := min(float64(e.rebuilds.ratio(s)),
		1) * pages * max(1-v.changesPrice()/v.Corpus.MeanWeight(), 0)
	if worth*v.Corpus.MeanWeight() < float64(v.least) {
		return
	}
	for range min(followUpProbes, e.more, mostFollowUps-int(n.followUps)) {
		n.followUps++
		e.more--
		want := v.newProbe(s)
		want.number, want.isFollowUp, want.worth = int(n.followUps), true, worth
		e.followUps = append(e.followUps, want)
	}
}

// wasProbe reports whether a page that was visited was chosen for a probe, and for one that follows
// another; once.
func (e *exploration) wasProbe(p sitegraph.PageID) (was, isFollowUp bool) {
	isFollowUp, was = e.underWay[p]
	delete(e.underWay, p)
	return was, isFollowUp
}

// take the next probe; false: there is none.
func (e *exploration) take() (want probe, ok bool) {
	if last := len(e.followUps) - 1; last >= 0 {
		want, e.followUps = e.followUps[last], e.followUps[:last]
		return want, true
	}
	if e.left == 0 || len(e.wanted) == 0 {
		return want, false
	}
	want, e.wanted = e.wanted[0], e.wanted[1:]
	return want, true
}

// next is a probe of the next server that is worth one.
func (e *exploration) next(v *Policy) (planner.Visit, bool) {
	for want, ok := e.take(); ok; want, ok = e.take() {
		// also if there is none, or it fails: not before the others' turn
		e.lastProbe[want.server] = v.now
		p, atRandom := v.probePage(want)
		if p == sitegraph.NoPage {
			continue
		}
		if !want.isFollowUp {
			e.left--
			e.rebuilds.probe(want.server, float32(wasRebuilt(want.days)))
		}
		e.underWay[p] = want.isFollowUp
		v.rate(p)
		v.queue.drop(p) // it may be ranked now, if the visit is not made
		visit := v.visit(p)
		beside := want.worth*v.Corpus.MeanWeight() - visit.Probability*v.Corpus.Weight(p)
		visit.Beside = max(visit.Beside, beside)
		alive := v.rankings.of[want.server].alive
		if atRandom {
			visit.DrawnFrom = int(alive)
		}
		pages := float64(alive)
		switch {
		case v.Mode == planner.Sweep:
			visit.Reason = planner.Because(
				"one of the looks at any page of each server that begin a sweep: this one has "+
					"%.0f, and nobody knows what changed there",
				pages,
			)
		case want.isFollowUp:
			visit.Reason = planner.Because(
				"a look at a quiet page: another one of its server had changed, which has %.0f "+
					"pages that could have",
				pages,
			)
		default:
			visit.Reason = planner.Because(
				"a look at a quiet page: nobody had one for %.3g days, and its server has %.0f "+
					"pages that could have changed",
				want.days,
				pages,
			)
		}
		return visit, true
	}
	return planner.Visit{}, false
}

// mostConsidered bounds the pages, about, that a probe is chosen from. Of a server with more it is
// chosen from each second, third ... of them.
var mostConsidered = 4096

// probePage draws one of a server. In a sweep, after a probe that found a change and one time in
// three any: what is rebuilt may be anywhere. Else the oldest copy of a list: new sections are
// linked there. So a link less from the start page counts as much as four times the age, each
// directory that a page links to as much as its age once more, and each page that a change of it
// leads to four times (see hub).
func (v *Policy) probePage(of probe) (page sitegraph.PageID, atRandom bool) {
	draw := rank.Mix(v.Seed ^ uint64(v.Corpus.Round().Number)<<32 ^ uint64(of.number)<<24 ^
		uint64(of.tie*(1<<52)))
	anyPage := v.Mode == planner.Sweep || of.isFollowUp || draw%3 == 0
	odd := uint32(draw>>8) | 1 // times an odd number: another order of the pages for each draw
	best, most := sitegraph.NoPage, math.Inf(-1)
	consider := func(p sitegraph.PageID, score float64) {
		v.batch.pace.Read(v.Corpus.Graph.Scratch(), 2)
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
		return float64(end-int64(v.groups.pages[p].last)) * lessByDepth[int(v.groups.depth(p))]
	}
	for i := 0; i < len(pages); i += step {
		p := pages[i]
		score := old(p)
		if score*(1+mostListed) >= most {
			score *= float64(1 + v.groups.directories(p))
		}
		consider(p, score)
	}
	for _, l := range v.discovery.servers[of.server].hubs {
		consider(l.page, old(l.page)*float64(1+v.groups.directories(l.page))*float64(1+
			hubWorth*l.expected()))
	}
	return best, false
}

// lessByDepth is 1/4 for each link from the start page, by groupIndex.depth.
var lessByDepth = func() (less [sitegraph.MaxDepth + 2]float64) {
	for depth := range less {
		less[depth] = math.Ldexp(1, -2*depth)
	}
	return less
}()

// lastSeen is when a page of a server was last seen not to have changed, or to be gone, and when an
// address last proved dead, in unix seconds; 0: never.
type lastSeen struct{ quiet, dead uint32 }

// lastSeenFrom finds lastSeen of all servers from first on, by the pages' own past.
func (v *scorer) lastSeenFrom(first sitegraph.ServerID) []lastSeen {
	g := v.Corpus.Graph
	all := make([]lastSeen, g.Servers()-int(first))
	see := func(p sitegraph.PageID) {
		m, of := v.Corpus.Memory(p), &all[g.Server(p)-first]
		if h := &m.History; m.Lost() || h.LastChange != h.Last && m.State != sitegraph.StateSource {
			of.quiet = max(of.quiet, v.groups.pages[p].last)
		}
		if m.NeverThere() {
			of.dead = max(of.dead, m.Tried)
		}
	}
	if first == 0 { // in the order of their files
		for p := range sitegraph.PageID(v.Corpus.Pages()) {
			see(p)
		}
		return all
	}
	for s := range all {
		for _, p := range g.ServerPages(first + sitegraph.ServerID(s)) {
			if int(p) < v.Corpus.Pages() {
				see(p)
			}
		}
	}
	return all
}

// daysOf gives both times in days of the clock. Where no page was quiet, that time is now.
func (v *scorer) daysOf(of lastSeen) (quiet, dead float32) {
	v.groups.anchor(max(of.quiet, of.dead))
	if quiet = v.now; of.quiet > 0 {
		quiet = v.groups.day(of.quiet)
	}
	return quiet, v.groups.day(of.dead)
}

// isQuiet reports whether a page can be visited now, and a change of it would be unexpected: in a
// sweep that of any.
func (v *scorer) isQuiet(p sitegraph.PageID) bool {
	return v.open(p) && !v.Corpus.Outside(p) && (v.Mode == planner.Sweep || v.worthLittle(p))
}

// worthLittle reports whether a page is far below the price, so that nobody expects it to have
// changed.
func (v *scorer) worthLittle(p sitegraph.PageID) bool {
	return float64(v.worth(p)) < quietPart*v.price
}
