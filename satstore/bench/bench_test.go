package bench

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/satstore/workload"
)

func small(dir string) Options {
	return Options{Workload: workload.Options{Records: 2000, Unit: workload.Hour, MaxUnits: 60}, Units: 10, Engines: Names(), Repeat: 2,
		Settings: Settings{BufferBytes: 64 << 10, PageBytes: 4096, CacheBytes: 1 << 20}, Dir: dir, DiskBytes: 4 << 20}
}

// empty checks that nothing was left behind.
func empty(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
}

// All engines visit what the plan has, or Run fails.
func TestAllEnginesAgree(t *testing.T) {
	for _, messages := range []float64{0, 0.5} {
		o := small(t.TempDir())
		o.Messages = messages
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Engines)+len(r.Left) != len(Kinds) || r.Due == 0 || r.Disk.Write <= 0 || r.Disk.Read <= 0 || r.Disk.Mixed <= 0 {
			t.Errorf("result %+v", r)
		}
		for _, m := range r.Engines {
			if len(m.Runs) != o.Repeat || len(m.Runs[0].Units) != o.Units || m.Micros <= 0 || m.Median <= 0 || m.Ratio.From > m.Ratio.Median || m.Ratio.Median > m.Ratio.To {
				t.Errorf("%s: %+v", m.Engine, m)
			}
		}
		if first := r.Engines[0]; first.Engine != "seqlog" || first.Ratio != (Spread{1, 1, 1}) {
			t.Errorf("the floor is %s with ratio %+v", first.Engine, first.Ratio)
		}
		empty(t, o.Dir)
	}
}

// Days and minutes have other levels, and hours enough that coarse buckets are split.
func TestAllEnginesAgreeInEveryUnit(t *testing.T) {
	for _, c := range []struct{ unit, units, longest int }{{int(workload.Day), 16, 60}, {int(workload.Hour), 50, 300}, {int(workload.Minute), 62, 4000}} {
		o := small(t.TempDir())
		o.Workload = workload.Options{Records: 400, Unit: workload.Unit(c.unit), MaxUnits: c.longest, FixedBytes: 50}
		o.Units, o.Repeat, o.DiskBytes = c.units, 1, 0
		o.Engines = []string{"seqlog", "runs", "sat-radix", "sat-basic"}
		if r, err := Run(t.Context(), o); err != nil || len(r.Engines) != len(o.Engines) {
			t.Errorf("%v: %v", o.Workload.Unit, err)
		}
		empty(t, o.Dir)
	}
}

// faulty is an engine that does not what it should.
type faulty struct {
	Engine
	visit func(u *Unit) error
}

func (f faulty) Visit(u *Unit) error { return f.visit(u) }
func (f faulty) Commit() error       { return nil }

func TestWrongEnginesAreFound(t *testing.T) {
	p, err := (&workload.Workload{}).Plan(t.Context(), 0)
	if err != nil || p.Total != 0 {
		t.Fatalf("an empty plan: %+v, %v", p, err)
	}
	broken := errors.New("broken")
	for want, visit := range map[string]func(p *workload.Plan, u *Unit) error{
		"0 records were visited": func(*workload.Plan, *Unit) error { return nil },
		"are others than those due": func(p *workload.Plan, u *Unit) error { // never stores what it changed
			for _, i := range p.Due[u.T] {
				u.Visit(p.AppendTo(nil, i))
			}
			return nil
		},
		"broken": func(*workload.Plan, *Unit) error { return broken },
	} {
		o := small(t.TempDir())
		o.Engines, o.DiskBytes = []string{"faulty"}, 0
		old := Kinds
		Kinds = append([]Kind{{Name: "faulty", bytesPerRecord: func(float64) float64 { return 1 },
			open: func(dir string, p *workload.Plan, s Settings) (Engine, error) {
				e, err := seqlogKind.open(dir, p, s)
				return faulty{e, func(u *Unit) error { return visit(p, u) }}, err
			}}}, old...)
		_, err := Run(t.Context(), o)
		Kinds = old
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "engine faulty") {
			t.Errorf("error %v, want %q", err, want)
		}
		empty(t, o.Dir)
	}
}

func TestInterrupt(t *testing.T) {
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

func TestRoom(t *testing.T) {
	o := small(t.TempDir())
	o.DiskBytes = 1 << 58
	_, err := Run(t.Context(), o)
	var room *RoomError
	if !errors.As(err, &room) || room.Need <= room.Free || room.Dir != o.Dir {
		t.Errorf("error %v", err)
	}
	empty(t, o.Dir)
}

func TestUnknownEngine(t *testing.T) {
	o := small(t.TempDir())
	o.Engines = []string{"seqlog", "magic"}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("error %v", err)
	}
}

// The harness allocates nothing for a record.
func TestVisitAllocatesNothing(t *testing.T) {
	w, err := workload.New(workload.Options{Records: 10, Unit: workload.Hour})
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
