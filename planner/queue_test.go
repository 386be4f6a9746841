package planner_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// closedQueue hands out nothing, and records what is put into it.
type closedQueue struct{ due map[sitegraph.PageID]uint32 }

func (q closedQueue) Put(p sitegraph.PageID, due uint32)        { q.due[p] = due }
func (q closedQueue) Take(uint32, []sitegraph.PageID) int       { return 0 }
func (q closedQueue) Promote([]sitegraph.PageID)                {}
func (q closedQueue) Answer(sitegraph.PageID)                   {}
func (q closedQueue) Back(sitegraph.PageID, uint32)             {}
func (q closedQueue) Message(sitegraph.PageID, planner.Message) {}

// weekly wants all pages, each once a week.
type weekly struct{ certain }

func (w *weekly) Due(p sitegraph.PageID, _ time.Time) (planner.Due, time.Duration) {
	return planner.Due{When: time.Unix(int64(w.c.LastVisit(p)), 0).Add(7 * planner.Day)}, 0
}

// The planner refuses pages that are not in play until they are promoted. A promoted page without a
// visit goes back with a due time of the policy. A visited page goes back with its next due time,
// which is later if its server cannot answer all wanted visits.
func TestOnlyPagesInPlay(t *testing.T) {
	g := sitegraph.NewGraph()
	c := planner.NewPages(g)
	for i := range 6 {
		r := sitegraph.Record{Page: g.Add(fmt.Sprintf("http://a.example/%d", i))}
		r.State, r.History = sitegraph.StateAlive, sitegraph.Start(simtest.At(0))
		r.Due = simtest.At(30)
		c.Remember(&r)
	}
	queue := closedQueue{map[sitegraph.PageID]uint32{}}
	p := planner.New(c, &weekly{certain{doubter: doubter{c}, probability: 0.5}},
		planner.Options{})
	p.UseQueue(func(func(sitegraph.PageID, planner.Message)) planner.Queue { return queue })
	round := func(n, budget int, promote ...sitegraph.PageID) (visited []sitegraph.PageID) {
		p.Begin(planner.Round{Number: n, Start: simtest.At(n - 1), End: simtest.At(n),
			Budget: budget})
		c.Promote(promote)
		for v, ok := p.Next(); ok; v, ok = p.Next() {
			visited = append(visited, v.Page)
		}
		return visited
	}
	if got := round(1, 9); got != nil {
		t.Errorf("visits %v, though the queue hands out nothing", got)
	}
	if len(queue.due) != 6 || queue.due[3] != sitegraph.Unix32(simtest.At(30)) {
		t.Errorf("the queue has %v, want all pages as their records say", queue.due)
	}
	if got := round(2, 1, 4, 5); !slices.Equal(got, []sitegraph.PageID{4}) {
		t.Errorf("visits %v, want the first of two that were promoted", got)
	}
	r := sitegraph.Record{Page: 4, State: sitegraph.StateAlive, Tried: simtest.At(2),
		History: sitegraph.Start(simtest.At(0))}
	r.History.See(simtest.At(2), false, time.Time{})
	p.Observe(&r, sitegraph.VerdictUnchanged)
	p.Strains().Of = []float32{3}
	due, _ := p.Due(4, simtest.At(2))
	if r.Due = due.When; !r.Due.Equal(simtest.At(2 + 3*7)) {
		t.Errorf("due at %v on a strained server", r.Due)
	}
	c.Remember(&r)
	round(3, 9)
	if queue.due[4] != sitegraph.Unix32(simtest.At(23)) ||
		queue.due[5] != sitegraph.Unix32(simtest.At(2+3*5)) {
		t.Errorf("the queue has %v after a visit to page 4 and none to page 5", queue.due)
	}
}
