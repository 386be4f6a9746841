package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/satstore/paper"
)

func small(dir string) Options {
	return Options{Workload: paper.WorkloadOptions{Records: 2000, Unit: paper.Hour, MaxUnits: 60},
		Units: 10, Engines: Names(), Repeat: 2,
		Settings: Settings{BufferBytes: 64 << 10, PageBytes: 4096, CacheBytes: 1 << 20}, Dir: dir,
		DiskBytes: 4 << 20}
}

// empty checks that no file is left.
func empty(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
}

func TestMain(m *testing.M) {
	fetchtest.MoreAtOnce(3)
	m.Run()
}

// TestAllEnginesAgree checks that all engines visit what is planned; otherwise Run fails.
func TestAllEnginesAgree(t *testing.T) {
	t.Parallel()
	for _, messages := range []float64{0, 0.5} {
		if testing.Short() && messages == 0 {
			continue
		}
		t.Run(fmt.Sprintf("messages=%v", messages), func(t *testing.T) {
			t.Parallel() // it waits for the disk
			o := small(t.TempDir())
			o.Messages = messages
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if left := map[float64]int{0.5: 3}[messages]; len(r.Left) != left ||
				len(r.Engines)+left != len(Kinds) || r.Due == 0 || r.Disk.Write <= 0 ||
				r.Disk.Read <= 0 || r.Disk.Mixed <= 0 {
				t.Errorf("result %+v", r)
			}
			for _, m := range r.Engines {
				if len(m.Runs) != o.Repeat || len(m.Runs[0].Units) != o.Units || m.Micros <= 0 ||
					m.Median <= 0 || m.Ratio.From > m.Ratio.Median || m.Ratio.Median > m.Ratio.To {
					t.Errorf("%s: %+v", m.Engine, m)
				}
				if Measured && (m.Cached < unknownShare || m.Cached > 1 || m.WrittenInUnits <= 0 ||
					m.Engine == "pebble-time" && m.Written <= m.WrittenInUnits) {
					t.Errorf("%s: cached %v, written %v, in units %v",
						m.Engine, m.Cached, m.Written, m.WrittenInUnits)
				}
			}
			if first := r.Engines[0]; first.Engine != "seqlog" || first.Ratio != (Spread{1, 1, 1}) {
				t.Errorf("the floor is %s with ratio %+v", first.Engine, first.Ratio)
			}
			empty(t, o.Dir)
		})
	}
}

// TestAllEnginesAgreeInEveryUnit checks days and minutes, with other levels, and enough hours to
// split coarse buckets.
func TestAllEnginesAgreeInEveryUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ unit, units, longest int }{{int(paper.Day), 16, 60},
		{int(paper.Hour), 50, 300}, {int(paper.Minute), 62, 4000}} {
		if testing.Short() && c.unit != int(paper.Hour) {
			continue
		}
		t.Run(fmt.Sprintf("unit=%d", c.unit), func(t *testing.T) {
			t.Parallel() // it waits for the disk
			o := small(t.TempDir())
			o.Workload = paper.WorkloadOptions{Records: 400, Unit: paper.Unit(c.unit),
				MaxUnits: c.longest, FixedBytes: 50}
			o.Units, o.Repeat, o.DiskBytes = c.units, 1, 0
			o.Engines = []string{"seqlog", "runs", "sat-basic", "pebble-time"}
			if r, err := Run(t.Context(), o); err != nil || len(r.Engines) != len(o.Engines) {
				t.Errorf("%v: %v", o.Workload.Unit, err)
			}
			empty(t, o.Dir)
		})
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel() // it waits for the disk
	o := small(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	o.Tick = func(what string, done, _ int) {
		if strings.Contains(what, "bbolt") && done == 3 {
			cancel()
		}
	}
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	empty(t, o.Dir)
}

// TestVisitAllocatesNothing checks that the harness allocates nothing for a record.
func TestVisitAllocatesNothing(t *testing.T) {
	w, err := paper.NewWorkload(paper.WorkloadOptions{Records: 10, Unit: paper.Hour})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Plan(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	u, body := &Unit{T: 1, plan: p}, w.AppendTo(nil, 3)
	if n := testing.AllocsPerRun(100, func() {
		u.Apply(body, 7)
		u.Visit(body)
	}); n != 0 || u.visited == 0 || u.applied == 0 {
		t.Errorf("%v allocations in a visit", n)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}} {
		if got := median(c.of); got != c.want {
			t.Errorf("median of %v is %v", c.of, got)
		}
	}
}
