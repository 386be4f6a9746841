package policy

import (
	"cmp"
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// rating is the source of the servers' change rates.
type rating uint8

const (
	ratingUnknown  rating = iota
	ratingTrue            // the share that changed, from the oracle: a reference line
	ratingPrevious        // the share that changed in the window before
	ratingSample          // the share among sampled pages, whose visits count
)

// byServer visits whole servers by falling change rate (Cho and Ntoulas 2002), with pages in seeded
// order; with a method, it makes that method's sweep inside each server ([LINK 6.3], reading R1).
// As a stream it starts a new round through the servers each week; with a method see toured.
type byServer struct {
	cycling
	rating  rating
	sites   *division // nil: all pages in seeded order
	tour    *toured   // the method at work in a stream; nil: none
	samples planner.FIFO
	pages   map[sitegraph.ServerID][]sitegraph.PageID // in seeded order
	seen    map[sitegraph.ServerID]*outcomes          // of this round through the servers
	// order has the remaining servers, last first; nil while sampling.
	order  []sitegraph.ServerID
	rated  bool
	left   planner.FIFO // pages of the current server
	inside *bySite      // method at work in it
	inner  map[sitegraph.ServerID]*bySite
	weeks  periods
	again  bool // this round began a second one through the servers
}

// outcomes counts visits that compared a page with its copy.
type outcomes struct{ visits, changed int }

func newByServer(r rating, methodName string) func(Settings) planner.Policy {
	return func(s Settings) planner.Policy {
		b := &byServer{cycling: newCycling(s), rating: r, weeks: newPeriods(week)}
		if methodName != "" {
			b.sites = newDivision(s.Pages, methods[methodName])
		}
		if methodName != "" && s.Mode == planner.Stream {
			b.tour = newTour(s, b.sites)
		}
		return b
	}
}

// Offer ranks the oldest copies, for the budget that is left when all servers are finished.
func (b *byServer) Offer(pages []sitegraph.PageID) {
	if b.tour != nil {
		b.tour.sites.Offer(pages)
	}
}

func (b *byServer) Begin(r planner.Round) {
	if b.sites != nil {
		b.sites.update()
	}
	b.again = false
	if begins := b.weeks.begin(r); begins || b.Mode == planner.Sweep {
		b.start(r)
	}
	if b.tour != nil {
		b.tour.begin()
	}
}

// start begins a round through the servers.
func (b *byServer) start(r planner.Round) {
	b.pages = map[sitegraph.ServerID][]sitegraph.PageID{}
	b.seen, b.inner = map[sitegraph.ServerID]*outcomes{}, map[sitegraph.ServerID]*bySite{}
	b.samples, b.left, b.inside = planner.FIFO{}, planner.FIFO{}, nil
	b.rated, b.order = false, nil
	if b.tour != nil {
		b.tour.restart()
	}
	t := b.ties.UpTo(b.Pages)
	g := b.Pages.Graph
	for p := range sitegraph.PageID(b.Pages.Count()) {
		if b.Pages.Memory(p).State == sitegraph.StateAlive && !b.Pages.Outside(p) {
			b.pages[g.Server(p)] = append(b.pages[g.Server(p)], p)
		}
	}
	for s, pages := range b.pages {
		slices.SortFunc(pages, func(p, q sitegraph.PageID) int { return cmp.Compare(t[p], t[q]) })
		if b.sites != nil && b.tour == nil {
			b.inner[s] = bySiteOn(b.Settings, b.sites, s)
			b.inner[s].Begin(r)
		}
	}
	if b.rating == ratingSample {
		for _, s := range b.servers() {
			b.samples.Push(b.pages[s][:min(max(b.Sample, 1), len(b.pages[s]))]...)
		}
	}
}

// servers returns the servers with pages, in seeded order.
func (b *byServer) servers() []sitegraph.ServerID {
	var all []sitegraph.ServerID
	for s := range b.pages {
		all = append(all, s)
	}
	g := b.Pages.Graph
	slices.SortFunc(all, func(s, q sitegraph.ServerID) int {
		return cmp.Or(
			cmp.Compare(planner.Tie(b.Seed, g.ServerName(s)), planner.Tie(b.Seed, g.ServerName(q))),
			int(s-q),
		)
	})
	return all
}

// rate returns a server's change rate; 0 if unknown.
func (b *byServer) rate(s sitegraph.ServerID) float64 {
	switch b.rating {
	case ratingTrue:
		changed := 0
		for _, p := range b.pages[s] {
			if b.Oracle(p) {
				changed++
			}
		}
		return float64(changed) / float64(len(b.pages[s]))
	case ratingPrevious:
		if b.PreviousRate != nil {
			return b.PreviousRate(s)
		}
		return b.recentRate(s)
	}
	if o := b.seen[s]; o != nil && o.visits > 0 {
		return float64(o.changed) / float64(o.visits)
	}
	return 0
}

// recentRate returns the share of changed pages among those visited in the last week.
func (b *byServer) recentRate(s sitegraph.ServerID) float64 {
	since := b.Pages.Round().Start.Add(-week).Unix()
	var o outcomes
	for _, p := range b.pages[s] {
		h := &b.Pages.Memory(p).History
		if int64(h.Last) > since && h.Visits > 1 {
			o.visits++
			if int64(h.LastChange) > since {
				o.changed++
			}
		}
	}
	if o.visits == 0 {
		return 0
	}
	return float64(o.changed) / float64(o.visits)
}

// rank orders the servers at or above the threshold by falling rate, ties seeded.
func (b *byServer) rank() {
	b.rated = true
	servers := b.servers()
	rates := map[sitegraph.ServerID]float64{}
	for _, s := range servers {
		rates[s] = b.rate(s)
	}
	servers = slices.DeleteFunc(servers, func(s sitegraph.ServerID) bool {
		return rates[s] < b.Threshold
	})
	slices.SortStableFunc(
		servers,
		func(s, q sitegraph.ServerID) int { return cmp.Compare(rates[q], rates[s]) },
	)
	slices.Reverse(servers)
	b.order = servers
}

func (b *byServer) Next() (planner.Visit, bool) {
	for p, ok := b.samples.Pop(); ok; p, ok = b.samples.Pop() {
		if b.Pages.Refetchable(p) {
			return planner.Unranked(p, planner.Because("sample of its server")), true
		}
	}
	if !b.rated {
		b.rank()
	}
	for {
		if v, ok := b.nextInside(); ok {
			return v, true
		}
		if len(b.order) == 0 && b.again && b.tour != nil {
			return b.tour.sites.nextOldest()
		}
		if len(b.order) == 0 {
			if b.Mode == planner.Sweep || b.again {
				return planner.Visit{}, false
			}
			b.again = true // all servers are finished before the week is
			b.start(b.Pages.Round())
			return b.Next()
		}
		s := b.order[len(b.order)-1]
		b.order = b.order[:len(b.order)-1]
		if b.tour != nil {
			b.tour.open(s)
		} else if b.inside = b.inner[s]; b.inside == nil {
			b.left.Push(b.pages[s]...)
		}
	}
}

// nextInside continues in the current server.
func (b *byServer) nextInside() (planner.Visit, bool) {
	if b.tour != nil {
		return b.tour.next()
	}
	if b.inside != nil {
		return b.inside.Next()
	}
	for p, ok := b.left.Pop(); ok; p, ok = b.left.Pop() {
		if b.Pages.Refetchable(p) {
			return planner.Unranked(p, planner.Because("its server changes often")), true
		}
	}
	return planner.Visit{}, false
}

func (b *byServer) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	s := b.Pages.Graph.Server(p)
	if inner := b.inner[s]; inner != nil {
		inner.Observe(p, verdict)
	}
	if b.tour != nil {
		b.tour.observe(p, verdict)
	}
	if verdict != sitegraph.VerdictChanged && verdict != sitegraph.VerdictUnchanged {
		return
	}
	o := b.seen[s]
	if o == nil {
		o = &outcomes{}
		b.seen[s] = o
	}
	o.visits++
	if verdict == sitegraph.VerdictChanged {
		o.changed++
	}
}
