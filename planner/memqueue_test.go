package planner_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// word is a message that was applied to a page.
type word struct {
	page sitegraph.PageID
	m    planner.Message
}

// modelQueue is a queue that scans all pages.
type modelQueue struct {
	due   map[sitegraph.PageID]uint32
	words []word
	heard []word
}

func (q *modelQueue) Put(p sitegraph.PageID, due uint32) { q.due[p] = max(due, 1) }

func (q *modelQueue) Take(until uint32, into []sitegraph.PageID) int {
	var pages []sitegraph.PageID
	for p, due := range q.due {
		if due <= until {
			pages = append(pages, p)
		}
	}
	slices.SortFunc(pages, func(a, b sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(q.due[a], q.due[b]), cmp.Compare(a, b))
	})
	n := copy(into, pages)
	q.Promote(into[:n])
	return n
}

func (q *modelQueue) Promote(pages []sitegraph.PageID) {
	for _, p := range pages {
		delete(q.due, p)
		q.words = slices.DeleteFunc(q.words, func(w word) bool {
			if w.page == p {
				q.heard = append(q.heard, w)
			}
			return w.page == p
		})
	}
}

func (q *modelQueue) Message(p sitegraph.PageID, m planner.Message) {
	if !slices.Contains(q.words, word{p, m}) {
		q.words = append(q.words, word{p, m})
	}
}

// The queue hands out what a scan of all pages finds, in any order of times: also if a page is put
// before those handed out, as after the queue handed out pages early.
func TestMemQueueIsAScan(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		model := &modelQueue{due: map[sitegraph.PageID]uint32{}}
		var heard []word
		queue := planner.NewMemQueue(func(p sitegraph.PageID, m planner.Message) {
			heard = append(heard, word{p, m})
		})
		now := uint32(1_000_000)
		far := uint32(1) << (4 + r.IntN(20))
		page := func() sitegraph.PageID { return sitegraph.PageID(r.IntN(60)) }
		for step := range 4000 {
			switch k := r.IntN(20); {
			case k < 12:
				p, due := page(), now+r.Uint32N(far)
				if r.IntN(50) == 0 {
					due = r.Uint32()
				}
				queue.Put(p, due)
				model.Put(p, due)
			case k < 14:
				pages := []sitegraph.PageID{page(), page()}
				queue.Promote(pages)
				model.Promote(pages)
			case k < 16:
				p, m := page(), planner.Message(1+r.IntN(2))
				queue.Message(p, m)
				model.Message(p, m)
			default:
				until := now + r.Uint32N(far/4+1)
				if r.IntN(8) == 0 {
					until = math.MaxUint32 // pages due later
				} else {
					now = until
				}
				got, want := make([]sitegraph.PageID, 1+r.IntN(20)), make([]sitegraph.PageID, 20)
				want = want[:len(got)]
				got, want = got[:queue.Take(until, got)], want[:model.Take(until, want)]
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d: hands out %v by %d, want %v", seed, step, got,
						until, want)
				}
			}
			if !slices.Equal(heard, model.heard) {
				t.Fatalf("seed %d, step %d: applied %v, want %v", seed, step, heard, model.heard)
			}
		}
	}
}

// BenchmarkMemQueue plays days of a crawl of 2 million pages: due pages are taken, and put again
// with another time.
func BenchmarkMemQueue(b *testing.B) {
	const pages, day = 2_000_000, 86_400
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		queue := planner.NewMemQueue(nil)
		r, began := rand.New(rand.NewPCG(1, 2)), time.Now()
		for p := range sitegraph.PageID(pages) {
			queue.Put(p, day+r.Uint32N(20*day))
		}
		into, taken := make([]sitegraph.PageID, 4096), 0
		for today := uint32(1); today <= 40; today++ {
			for n := queue.Take(today*day, into); n > 0; n = queue.Take(today*day, into) {
				for _, p := range into[:n] {
					queue.Put(p, today*day+1+r.Uint32N(40*day))
				}
				taken += n
			}
		}
		took := time.Since(began)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(took.Nanoseconds())/float64(pages+taken), "ns/page")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/pages, "bytes/page")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs), "allocs")
		runtime.KeepAlive(queue)
	}
}
