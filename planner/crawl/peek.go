package crawl

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
)

// peek calls one waiting function of Options.Peek, if there is one.
func (l *Loop) peek() {
	select {
	case look := <-l.Peek:
		look()
	default:
	}
}

// sleepUntil sleeps, and calls functions of Options.Peek meanwhile.
func (l *Loop) sleepUntil(ctx context.Context, t time.Time) error {
	if l.Peek == nil {
		return l.Clock.SleepUntil(ctx, t)
	}
	over := make(chan error, 1)
	go func() { over <- l.Clock.SleepUntil(ctx, t) }()
	for {
		select {
		case err := <-over:
			return err
		case look := <-l.Peek:
			look()
		}
	}
}

// Chosen is a visit that the loop has chosen, and not made yet.
type Chosen struct {
	Visit planner.Visit
	// At is about the earliest time at which politeness lets the visit begin; now or earlier: at
	// once.
	At       time.Time
	UnderWay bool
}

// Chosen returns the first visits that are under way or chosen in this round, in the order in which
// they may begin, and the number of the others. With one worker there are none, since it chooses
// them one at a time. Call it in Peek or Between.
func (l *Loop) Chosen(most int) (list []Chosen, more int) {
	var next byStart
	for _, of := range l.queues {
		if of.up {
			list = append(list, Chosen{Visit: planner.Visit{Page: of.page}, At: of.began,
				UnderWay: true})
		}
		if len(of.visits) > 0 {
			more += len(of.visits)
			start := of.notBefore
			if of.address != nil && of.address.notBefore.After(start) {
				start = of.address.notBefore
			}
			next = append(next, &startOf{of, 0, start, max(of.pause, of.usual)})
		}
	}
	slices.SortFunc(list, func(a, b Chosen) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Visit.Page, b.Visit.Page))
	})
	if len(list) > most {
		list = list[:most]
	}
	heap.Init(&next)
	for len(list) < most && len(next) > 0 {
		first := next[0]
		list = append(list, Chosen{Visit: first.of.visits[first.visit], At: first.at})
		more--
		if first.visit++; first.visit == len(first.of.visits) {
			heap.Pop(&next)
			continue
		}
		first.at = first.at.Add(first.pause)
		heap.Fix(&next, 0)
	}
	return list, more
}

// startOf holds when the next visit of a server may begin.
type startOf struct {
	of    *serverQueue
	visit int // index in the queue
	at    time.Time
	pause time.Duration
}

// byStart is a heap of servers by the start of their next visits.
type byStart []*startOf

func (b byStart) Len() int { return len(b) }
func (b byStart) Less(i, j int) bool {
	return cmp.Or(b[i].at.Compare(b[j].at), cmp.Compare(b[i].of.server, b[j].of.server)) < 0
}
func (b byStart) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *byStart) Push(x any)   { *b = append(*b, x.(*startOf)) }
func (b *byStart) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	*b = (*b)[:last]
	return x
}

// Busy returns how many visits are under way, and how many chosen visits wait for their turn.
func (l *Loop) Busy() (underWay, chosen int) {
	for _, of := range l.queues {
		if of.up {
			underWay++
		}
		chosen += len(of.visits)
	}
	return underWay, chosen
}

// Standing describes how the loop treats a server.
type Standing struct {
	Address   string        // at which it is asked; "": unknown now
	UnderWay  bool          // whether a visit is under way
	Chosen    int           // visits that wait for their turn
	NotBefore time.Time     // it is not asked earlier; zero: at any time
	Pause     time.Duration // between two visits, including its troubles
	Slowdown  int           // doublings of the pause for its troubles; see guarantee 5
}

// Standing returns how the loop treats a server. Call it in Peek or Between.
func (l *Loop) Standing(s sitegraph.ServerID) Standing {
	r := Standing{Pause: l.pauseOf(s)}
	if of := l.queues[s]; of != nil {
		r.UnderWay, r.Chosen, r.NotBefore, r.Slowdown = of.up, len(of.visits), of.notBefore,
			int(of.steps)
		r.Pause = max(r.Pause, of.pause)
		if of.address != nil {
			r.Address = of.address.name
		}
	}
	return r
}

// Demand estimates the demand of one server (Demands) from at most a number of its pages, spread
// evenly. Call it in Peek or Between.
func (l *Loop) Demand(s sitegraph.ServerID, most int) schedule.Demand {
	return l.demandOf(s, 1+(len(l.graph.ServerPages(s))-1)/most, daysBetweenChanges)
}

// InLine returns the chosen visits of a page's server in order, and when the page's own may begin;
// false if it is not chosen, or is under way. Call it in Peek or Between.
func (l *Loop) InLine(page sitegraph.PageID) (visits []planner.Visit, at time.Time, ok bool) {
	of := l.queues[l.graph.Server(page)]
	if of == nil {
		return nil, at, false
	}
	at = of.notBefore
	if of.address != nil {
		at = later(at, of.address.notBefore)
	}
	i := slices.IndexFunc(of.visits, func(v planner.Visit) bool { return v.Page == page })
	if i < 0 {
		return of.visits, time.Time{}, false
	}
	return of.visits, at.Add(time.Duration(i) * max(of.pause, of.usual)), true
}
