package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/sitegraph"
)

// Tuning is a prediction of what budgets buy, or how far it has come.
type Tuning struct {
	State  string           `json:"state"` // none, working, done or failed
	Part   float64          `json:"part"`  // of the work that is done, 0 to 1
	Began  time.Time        `json:"began"` // zero: never
	Error  string           `json:"error"`
	Result *tune.Prediction `json:"result"` // of the last one that was done; null: none was
	Made   time.Time        `json:"made"`   // when the result was; zero: there is none
	// Pages are those that the result speaks for, and Of how many of them it was worked out with.
	Pages int `json:"pages"`
	Of    int `json:"of"`
}

const (
	// tunedPages bounds the pages that a prediction is worked out with: each future holds them all.
	tunedPages = 100_000
	// tunedFor bounds the time that one may take.
	tunedFor = 15 * time.Minute
)

// tuner makes one prediction at a time.
type tuner struct {
	mu    sync.Mutex
	now   Tuning
	steps int
	done  int
	stop  context.CancelFunc
}

// bar counts what is done of a prediction.
type bar struct{ of *tuner }

func (b bar) Step() {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	if b.of.done++; b.of.steps > 0 {
		b.of.now.Part = min(float64(b.of.done)/float64(b.of.steps), 1)
	}
}
func (b bar) StepOf(string, bool) { b.Step() }
func (b bar) End()                {}

// Tuning is the last prediction, and how far the one under way has come.
func (d *Desk) Tuning() Tuning {
	d.tuner.mu.Lock()
	defer d.tuner.mu.Unlock()
	if d.tuner.now.State == "" {
		return Tuning{State: "none"}
	}
	return d.tuner.now
}

// Tune begins a prediction, unless one is under way. It takes seconds to minutes of one processor;
// the loop goes on. Tuning tells how far it is.
func (d *Desk) Tune(target string) error {
	goal, err := tune.ParseTarget(target)
	if err != nil && target != "" {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	t := &d.tuner
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.State == "working" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), tunedFor)
	t.now.State, t.now.Part, t.now.Began, t.now.Error, t.done, t.steps, t.stop = "working", 0,
		time.Now().UTC(), "", 0, 0, stop
	go func() {
		defer stop()
		result, pages, of, err := d.predict(ctx, goal)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.now.Part = 1
		if err != nil {
			t.now.State, t.now.Error = "failed", err.Error()
			return
		}
		t.now.State, t.now.Result, t.now.Made, t.now.Pages, t.now.Of = "done", result,
			time.Now().UTC(), pages, of
	}()
	return nil
}

// stopTuning ends a prediction under way.
func (t *tuner) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stop != nil {
		t.stop()
	}
}

// ErrNothingSeen says that a prediction needs pages that were visited twice.
var ErrNothingSeen = errors.New("no page was visited twice yet: there is nothing to predict from")

func (d *Desk) predict(ctx context.Context, goal tune.Target) (
	result *tune.Prediction, pages, of int, err error) {
	visited, pages, err := d.visited(ctx)
	if err != nil {
		return nil, 0, 0, err
	}
	source, err := tune.LearnVisits(visited)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("%w (%w)", ErrNothingSeen, err)
	}
	e := tune.Evidence{Name: "store", Source: source}
	if len(visited) < pages {
		e.Doubts = []string{fmt.Sprintf("worked out with the servers of %s of %s; fetches a day "+
			"are those of this part", report.Plural(len(visited), "page"),
			report.Grouped(int64(pages)))}
	}
	o := d.o.Tune
	o.AtOnce = 1
	result, err = tune.Predict(ctx, e, o,
		tune.Request{Budgets: tuneBudgets(), Target: goal, Delay: min(d.o.Delay, tune.LongestDelay),
			Progress: func(_ string, steps int) tune.Bar {
				d.tuner.mu.Lock()
				defer d.tuner.mu.Unlock()
				d.tuner.steps, d.tuner.done = max(steps, d.tuner.steps), 0
				return bar{&d.tuner}
			}})
	return result, pages, len(visited), err
}

func tuneBudgets() []float64 { return []float64{0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5} }

// visited copies the pages with a copy, server by server, and counts all there are. Of very many it
// takes whole servers, spread evenly over all.
func (d *Desk) visited(ctx context.Context) (list []tune.Visited, pages int, err error) {
	var servers, alive int
	if err := d.do(ctx, func() {
		c := d.o.Planner.Corpus
		servers = c.Graph.Servers()
		for s := range sitegraph.ServerID(servers) {
			alive += c.Alive(s)
		}
	}); err != nil {
		return nil, 0, err
	}
	step := max(1, (alive+tunedPages-1)/tunedPages)
	var links [][]sitegraph.PageID
	index := map[sitegraph.PageID]int{}
	for s := 0; s < servers; s += step {
		at := 0
		for done := false; !done; {
			if err := d.do(ctx, func() {
				c := d.o.Planner.Corpus
				of := c.Graph.ServerPages(sitegraph.ServerID(s))
				for end := min(at+copyPages, len(of)); at < end; at++ {
					p := of[at]
					if int(p) >= c.Pages() {
						at = len(of)
						break
					}
					if m := c.Memory(p); m.State == sitegraph.StateAlive {
						index[p] = len(list)
						list = append(list, tune.Visited{URL: strings.Clone(c.Graph.URL(p)),
							History: m.History})
						links = append(links, slices.Clone(c.Graph.Links(p)))
					}
				}
				done = at >= len(of)
			}); err != nil {
				return nil, 0, err
			}
		}
		if len(list) > 2*tunedPages {
			break // one server of very many pages
		}
	}
	for i := range list {
		for _, p := range links[i] {
			if to, ok := index[p]; ok {
				list[i].Links = append(list[i].Links, list[to].URL)
			}
		}
	}
	return list, alive, nil
}
