package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// purse is a web of pages with sizes. It checks the use of visits against limits, and outlives the
// loops that visit it.
type purse struct {
	*testing.T
	limits budget.Limits
	used   map[string]float64
	visits int
	cut    int
}

// metered is a web with its purse.
type metered struct {
	*web
	purse *purse
}

func (m metered) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	h := fnv.New32a()
	h.Write([]byte(r.Record.URL))
	size := int64(300 + h.Sum32()%60_000)
	read := size
	if r.MaxBytes > 0 {
		read = min(size, r.MaxBytes)
	}
	m.mu.Lock()
	m.purse.spend(r.Record.URL, m.clock.Now(), float64(read))
	m.mu.Unlock()
	o, err := m.web.Fetch(ctx, r)
	if err != nil {
		return o, err
	}
	o.Transferred = read
	if read < size {
		m.mu.Lock()
		m.purse.cut++
		m.mu.Unlock()
		o = sitegraph.Observation{URL: o.URL, Time: o.Time, Outcome: sitegraph.OutcomeFailed,
			Transferred: read, NotBefore: o.NotBefore}
	} else if o.Outcome == sitegraph.OutcomeFetched {
		o.Size = size - 200
	}
	return o, nil
}

// spend counts a visit when it begins, before it can crash.
func (p *purse) spend(url string, now time.Time, read float64) {
	p.visits++
	count := func(of string, l budget.Limit) {
		key := fmt.Sprint(of, l, " ", now.Truncate(l.Per).Format(time.RFC3339))
		if l.Unit == budget.InFetches {
			read = 1
		}
		if p.used[key] += read; p.used[key] > l.Amount {
			p.Errorf("%s: %g used", key, p.used[key])
		}
	}
	for i, l := range p.limits.All {
		count(fmt.Sprint(i, ": all "), l)
	}
	for i, l := range p.limits.Servers {
		if name := sitegraph.ServerName(url); l.Pattern == "*" || l.Pattern == name {
			count(fmt.Sprint(i, ": ", name, " "), l.Limit)
		}
	}
}

func randomLimits(rng *rand.Rand) (l budget.Limits) {
	some := func(most float64) budget.Limit {
		x := budget.Limit{Amount: math.Ceil(math.Exp(rng.Float64() * math.Log(most))),
			Unit: budget.InFetches, Per: []time.Duration{time.Hour, planner.Day}[rng.IntN(2)]}
		if rng.IntN(2) == 0 {
			x.Unit, x.Amount = budget.InBytes, x.Amount*40_000
		}
		return x
	}
	for range rng.IntN(3) {
		l.All = append(l.All, some(200))
	}
	pattern := []string{"*", "s0.example"}[rng.IntN(2)] // one pattern: only the longest counts
	for range 1 + rng.IntN(2) {
		l.Servers = append(l.Servers, budget.ServerLimit{Pattern: pattern, Limit: some(60)})
	}
	return l
}

func newMeteredRig(t *testing.T, w *web, d *disk, p *purse, o crawl.Options) *rig {
	m := newRig(t, w, d, "ebayes", o)
	m.pages = d.restore() // its pages are queued by one planner only
	policy, err := policy.New("ebayes", policy.Settings{Pages: m.pages, Mode: planner.Stream,
		Seed: 1, PerDay: 100})
	if err != nil {
		t.Fatal(err)
	}
	m.plan = planner.New(m.pages, policy,
		planner.Options{NewShare: 0.5, Leftover: true, Limits: p.limits, MostBytes: 1 << 20})
	o.Planner, o.Fetcher, o.Store, o.Clock, o.Discover = m.plan, metered{w, p}, d, w.clock, true
	o.Acknowledged = m.acknowledged
	m.loop = crawl.New(o)
	return m
}

// Promise 2 for all limits: no hour and no UTC day uses more than they allow, whatever the crashes
// and the lengths of rounds after restarts.
func TestLimitsAcrossCrashes(t *testing.T) {
	t.Parallel()
	crashes := 0
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 0))
		pages, starts := farm(3, 60)
		p := &purse{T: t, limits: randomLimits(rng), used: map[string]float64{}}
		clock := crawl.NewVirtualClock(base.Add(time.Duration(rng.IntN(24)) * time.Hour))
		end := clock.Now().Add(30 * time.Hour)
		d := newDisk()
		for clock.Now().Before(end) {
			w := &web{clock: clock, pages: pages}
			m := newMeteredRig(t, w, d, p, crawl.Options{CommitEvery: 1 + rng.IntN(20)})
			until := rng.IntN(60)
			w.before = func(context.Context, crawl.Request) error {
				if len(w.fetched) > until && rng.IntN(4) == 0 {
					crashes++
					panic(crashed{})
				}
				return nil
			}
			m.seed(starts...)
			length := []time.Duration{time.Hour, 20 * time.Minute, time.Hour}[rng.IntN(3)]
			m.runLimited(p.limits.PerDay(), length, rng.IntN(12))
			d = d.crash()
		}
		if t.Failed() {
			t.Fatalf("repeat: go test -run TestLimitsAcrossCrashes ./planner/crawl with seed "+
				"%d: %+v", seed, p.limits)
		}
	}
	if crashes < 30 {
		t.Errorf("only %d crashes", crashes)
	}
}

// skewed is a wrong clock.
type skewed struct{ by time.Duration }

func (s skewed) Now() time.Time { return crawl.WallClock{}.Now().Add(s.by) }
func (s skewed) SleepUntil(ctx context.Context, t time.Time) error {
	return crawl.WallClock{}.SleepUntil(ctx, t.Add(-s.by))
}

// A clock that was a year ahead for a while stops nothing once it is right again: neither rounds,
// limits, waits of servers nor pages visited then.
func TestClockWasAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages, starts := farm(2, 20)
		limit := budget.Limit{Amount: 25, Unit: budget.InFetches, Per: time.Hour}
		limits := budget.Limits{All: []budget.Limit{limit},
			Servers: []budget.ServerLimit{{Pattern: "*", Limit: limit}}}
		d := newDisk()
		for _, ahead := range []time.Duration{365 * 24 * time.Hour, 0} {
			w := &web{clock: skewed{ahead}, pages: pages, delay: 20 * time.Second}
			p := &purse{T: t, limits: limits, used: map[string]float64{}}
			seen := map[string]int{}
			count := func(e *crawl.Event) {
				if e.Verdict != sitegraph.VerdictUnknown {
					seen[e.Record.URL]++
				}
			}
			m := newMeteredRig(t, w, d, p, crawl.Options{Workers: 2, Seen: count})
			m.seed(starts...)
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Hour)
			if err := m.loop.Run(ctx, 24*25, time.Hour, nil); !errors.Is(err,
				context.DeadlineExceeded) {
				t.Fatal(err)
			}
			cancel()
			for url := range pages {
				if seen[url] < 1 {
					t.Errorf("with the clock %v ahead: %s was not seen in 8 hours", ahead, url)
				}
			}
			d = d.crash()
		}
	})
}

func (m *rig) runLimited(perDay float64, length time.Duration, rounds int) {
	m.Helper()
	defer func() {
		if thrown := recover(); thrown != nil && thrown != (crashed{}) {
			panic(thrown)
		}
	}()
	err := m.loop.Run(context.Background(), perDay, length, func(planner.Round) bool {
		rounds--
		return rounds > 0
	})
	if err != nil {
		m.Fatal(err)
	}
}

// Limits hold with many workers, and nothing lies idle: a budget of fetches is used up, one of
// bytes almost.
func TestLimitsConcurrent(t *testing.T) {
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			pages, starts := farm(4, 80)
			p := &purse{T: t, limits: randomLimits(rng), used: map[string]float64{}}
			w := &web{clock: crawl.WallClock{}, pages: pages, delay: time.Second,
				before: func(ctx context.Context, _ crawl.Request) error {
					time.Sleep(time.Second)
					return ctx.Err()
				}}
			m := newMeteredRig(t, w, newDisk(), p, crawl.Options{Workers: 4})
			m.seed(starts...)
			time.Sleep(time.Until(time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)))
			m.runLimited(p.limits.PerDay(), time.Hour, 30)
			if p.visits == 0 {
				t.Errorf("no visits under %+v", p.limits)
			}
			if t.Failed() {
				t.Errorf("seed %d: %+v", seed, p.limits)
			}
		})
	}
}

// A budget of few bytes beside the size of pages is used, and few visits are cut.
func TestBytesConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages, starts := farm(4, 80)
		day := budget.Limit{Amount: 3e6, Unit: budget.InBytes, Per: planner.Day}
		p := &purse{T: t, limits: budget.Limits{All: []budget.Limit{day}},
			used: map[string]float64{}}
		w := &web{clock: crawl.WallClock{}, pages: pages, delay: time.Second}
		m := newMeteredRig(t, w, newDisk(), p, crawl.Options{Workers: 4})
		m.seed(starts...)
		time.Sleep(time.Until(time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)))
		m.runLimited(planner.Unlimited, time.Hour, 24)
		for key, used := range p.used {
			if used < 0.9*day.Amount {
				t.Errorf("%s: %g used", key, used)
			}
		}
		if p.cut*10 > p.visits {
			t.Errorf("%d of %d visits were cut", p.cut, p.visits)
		}
	})
}

// A crash loses at most a sixteenth of the rest of each limit, or one visit.
func TestLimitsLost(t *testing.T) {
	pages, starts := farm(1, 200)
	d := newDisk()
	l := budget.Limits{Servers: []budget.ServerLimit{{Pattern: "*",
		Limit: budget.Limit{Amount: 64, Unit: budget.InFetches, Per: planner.Day}}}}
	p := &purse{T: t, limits: l, used: map[string]float64{}}
	crashes := 0
	for {
		w := newWeb(pages)
		m := newMeteredRig(t, w, d, p, crawl.Options{})
		w.before = func(context.Context, crawl.Request) error {
			if len(w.fetched) == 3 && crashes < 8 {
				crashes++
				panic(crashed{})
			}
			return nil
		}
		m.seed(starts...)
		before := crashes
		m.runLimited(planner.Unlimited, 24*time.Hour, 1)
		d = d.crash()
		if crashes == before {
			break
		}
	}
	if p.visits > 64 || p.visits < 64-crashes*4 {
		t.Errorf("%d visits of 64 over %d crashes", p.visits, crashes)
	}
}
