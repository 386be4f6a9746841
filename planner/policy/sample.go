package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// sampling visits a few pages of each group of pages, and then whole groups by the share of their
// samples that changed (Cho and Ntoulas 2002). It needs no history. In a stream a new round through
// the groups begins each week. Pages come in an order drawn anew for each round, so that all pages
// are sampled in turn.
type sampling struct {
	cycling
	divide func(pages []sitegraph.PageID) [][]sitegraph.PageID // keeps the order of pages
	why    string                                              // reason of visits to a group's rest
	// adaptive samples until a group differs from the marginal one.
	adaptive  bool
	groups    []*sampled
	of        []int32 // by page: its group in groups; -1: none
	state     samplingState
	turn      int // sampling: the group whose sample is next; then the one at work
	threshold float64
	weeks     periods
	again     bool // this round began a second one through the groups
}

type samplingState uint8

const (
	samplingUnknown samplingState = iota
	samplingNow                   // samples are drawn
	samplingDone                  // groups are visited by the changes of their samples
)

// sampled is one group of pages.
type sampled struct {
	pages   []sitegraph.PageID // in the order of visits
	next    int                // index of the first page not yet proposed
	size    int                // pages to sample
	seen    outcomes
	decided bool
}

func (g *sampled) rate() float64 {
	return float64(g.seen.changed) / float64(max(g.seen.visits, 1))
}

func (s *sampling) Begin(r planner.Round) {
	s.again = false
	if begins := s.weeks.begin(r); begins || s.Mode == planner.Sweep {
		s.start()
	}
}

// start begins a round through the groups.
func (s *sampling) start() {
	drawn := s.Seed + uint64(s.weeks.number)*0x9e3779b97f4a7c15
	if s.again {
		drawn++
	}
	var order []planner.Candidate[float64]
	for p := range sitegraph.PageID(s.Pages.Count()) {
		if s.Pages.Memory(p).State == sitegraph.StateAlive && !s.Pages.Outside(p) {
			order = append(
				order,
				planner.Candidate[float64]{Score: planner.Tie(drawn, s.Pages.Graph.URL(p)),
					Page: p},
			)
		}
	}
	slices.SortFunc(order, func(a, b planner.Candidate[float64]) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), int(a.Page-b.Page))
	})
	pages := make([]sitegraph.PageID, len(order))
	for i := range order {
		pages[i] = order[i].Page
	}
	s.of = s.of[:0]
	for range s.Pages.Count() {
		s.of = append(s.of, -1)
	}
	s.groups, s.state, s.turn = nil, samplingNow, 0
	share := s.reach(len(pages))
	for _, group := range s.divide(pages) {
		for _, p := range group {
			s.of[p] = int32(len(s.groups))
		}
		s.groups = append(s.groups, &sampled{pages: group, size: sampleSize(len(group), share)})
	}
}

// reach returns the share of the pages that the budget of a week visits; half if it is unknown, as
// in a sweep.
func (s *sampling) reach(pages int) float64 {
	if s.Mode == planner.Sweep || !(s.PerDay > 0) {
		return 0.5
	}
	return min(s.PerDay*estimator.Days(week)/float64(max(pages, 1)), 1)
}

// sampleSize returns the size that loses least by samples wasted on groups that are not visited and
// by groups ranked wrongly: sqrt(n r/(1-r)) of n pages, if a share r is visited and the groups'
// rates are spread evenly.
func sampleSize(n int, share float64) int {
	k := math.Sqrt(float64(n) * share / max(1-share, 1e-9))
	return min(max(int(k+0.5), 1), n)
}

func (s *sampling) Next() (planner.Visit, bool) {
	for {
		if s.state == samplingNow {
			if p, ok := s.nextSample(); ok {
				return planner.Unranked(p, planner.Because("sample of its group")), true
			}
			s.rank()
		}
		for ; s.turn < len(s.groups); s.turn++ {
			if p, ok := s.pop(s.groups[s.turn]); ok {
				rate := s.groups[s.turn].rate()
				return planner.Visit{
					Page:        p,
					Probability: math.NaN(),
					Value:       rate,
					Reason:      planner.Because(s.why, rate),
				}, true
			}
		}
		if s.Mode == planner.Sweep || s.again {
			return planner.Visit{}, false
		}
		s.again = true // all groups are finished before the week is
		s.start()
	}
}

func (s *sampling) pop(g *sampled) (sitegraph.PageID, bool) {
	for g.next < len(g.pages) {
		p := g.pages[g.next]
		g.next++
		if s.Pages.Refetchable(p) {
			return p, true
		}
	}
	return sitegraph.NoPage, false
}

// nextSample takes the samples of one group after the other; adaptive ones page by page in turns,
// while a group does not differ from the marginal one.
func (s *sampling) nextSample() (sitegraph.PageID, bool) {
	for ; s.turn < len(s.groups); s.turn++ {
		g := s.groups[s.turn]
		if s.adaptive && s.turn == 0 {
			s.threshold = s.marginalRate()
		}
		if s.adaptive && (g.decided || g.tellsFrom(s.threshold)) || !s.adaptive &&
			g.next >= g.size {
			g.decided = true
			continue
		}
		p, ok := s.pop(g)
		if !ok {
			g.decided = true
			continue
		}
		if s.adaptive {
			s.turn++
		}
		return p, true
	}
	if s.adaptive && slices.ContainsFunc(s.groups, func(g *sampled) bool { return !g.decided }) {
		s.turn = 0
		return s.nextSample()
	}
	return sitegraph.NoPage, false
}

// marginalRate returns the rate of the last group that the budget reaches, by present samples.
func (s *sampling) marginalRate() float64 {
	byRate := slices.Clone(s.groups)
	slices.SortStableFunc(byRate, func(a, b *sampled) int {
		return cmp.Compare(b.rate(), a.rate())
	})
	pages := 0
	for _, g := range byRate {
		pages += len(g.pages)
	}
	left := s.reach(pages) * float64(pages)
	for _, g := range byRate {
		if left -= float64(len(g.pages)); left < 0 {
			return g.rate()
		}
	}
	return -1 // it reaches all
}

// tellsFrom reports whether a group's rate differs from a threshold at 90 %, by Wilson's interval;
// Wald's is empty after samples that all agree.
func (g *sampled) tellsFrom(threshold float64) bool {
	const z = 1.645
	if g.seen.visits == 0 {
		return threshold < 0
	}
	n, p := float64(g.seen.visits), g.rate()
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return center-half > threshold || center+half < threshold
}

// rank orders the groups by falling rate; ties keep their drawn order.
func (s *sampling) rank() {
	s.state, s.turn = samplingDone, 0
	slices.SortStableFunc(s.groups, func(a, b *sampled) int {
		return cmp.Compare(b.rate(), a.rate())
	})
	for i, g := range s.groups {
		for _, p := range g.pages {
			s.of[p] = int32(i)
		}
	}
}

func (s *sampling) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	if int(p) >= len(s.of) || s.of[p] < 0 ||
		verdict != sitegraph.VerdictChanged && verdict != sitegraph.VerdictUnchanged {
		return
	}
	seen := &s.groups[s.of[p]].seen
	seen.visits++
	if verdict == sitegraph.VerdictChanged {
		seen.changed++
	}
}

// serverGroups groups pages by server, servers in the order of their first pages.
func serverGroups(g *sitegraph.Graph) func([]sitegraph.PageID) [][]sitegraph.PageID {
	return func(pages []sitegraph.PageID) [][]sitegraph.PageID {
		place := map[sitegraph.ServerID]int{}
		var groups [][]sitegraph.PageID
		for _, p := range pages {
			i, ok := place[g.Server(p)]
			if !ok {
				i = len(groups)
				place[g.Server(p)] = i
				groups = append(groups, nil)
			}
			groups[i] = append(groups[i], p)
		}
		return groups
	}
}

func newChoGreedy(s Settings) planner.Policy {
	return &sampling{
		cycling: newCycling(s),
		weeks:   newPeriods(week),
		divide:  serverGroups(s.Pages.Graph),
		why:     "a share of %.2f of its server's visits saw a change",
	}
}

func newChoAdaptive(s Settings) planner.Policy {
	return &sampling{
		cycling:  newCycling(s),
		weeks:    newPeriods(week),
		divide:   serverGroups(s.Pages.Graph),
		why:      "a share of %.2f of its server's visits saw a change",
		adaptive: true,
	}
}

func newTanMitra(s Settings) planner.Policy {
	return &sampling{
		cycling: newCycling(s),
		weeks:   newPeriods(week),
		divide:  clustersOf(s.Pages),
		why:     "a share of %.2f of its cluster's visits saw a change",
	}
}
