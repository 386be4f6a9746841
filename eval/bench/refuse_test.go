package bench

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/satstore/paper"
)

// faulty is an engine with faults.
type faulty struct {
	Engine
	visit func(u *Unit) error
}

func (f faulty) Visit(u *Unit) error { return f.visit(u) }
func (f faulty) Commit() error       { return nil }

func TestWrongEnginesAreFound(t *testing.T) {
	p, err := (&paper.Workload{}).Plan(t.Context(), 0)
	if err != nil || p.Total != 0 {
		t.Fatalf("an empty plan: %+v, %v", p, err)
	}
	broken := errors.New("broken")
	for want, visit := range map[string]func(p *paper.Plan, u *Unit) error{
		"0 records were visited": func(*paper.Plan, *Unit) error { return nil },
		// does not store its changes
		"are others than those due": func(p *paper.Plan, u *Unit) error {
			for _, i := range p.Due[u.T] {
				u.Visit(p.AppendTo(nil, i))
			}
			return nil
		},
		"requests were applied": func(p *paper.Plan, u *Unit) error {
			for _, i := range p.Due[u.T] {
				body, _ := p.AppendAt(nil, i, u.T)
				u.Apply(body, 1)
				u.Visit(body)
			}
			return nil
		},
		"broken": func(*paper.Plan, *Unit) error { return broken },
	} {
		o := small(t.TempDir())
		o.Engines, o.DiskBytes = []string{"faulty"}, 0
		old := Kinds
		Kinds = append([]Kind{{Name: "faulty", bytesPerRecord: func(float64) float64 { return 1 },
			open: func(dir string, p *paper.Plan, s Settings) (Engine, error) {
				e, err := seqlogKind.open(dir, p, s)
				return faulty{e, func(u *Unit) error { return visit(p, u) }}, err
			}}}, old...)
		_, err := Run(t.Context(), o)
		Kinds = old
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "engine faulty") {
			t.Errorf("error %v, want %q", err, want)
		}
		empty(t, o.Dir)
	}
}

// forgetful keeps wrong bodies and due times.
type forgetful struct {
	*pebbleTime
	change func(body []byte, due *int) (keep bool)
}

func (f forgetful) Scan(use func(body []byte, due int) error) error {
	return f.pebbleTime.Scan(func(body []byte, due int) error {
		if !f.change(body, &due) {
			return nil
		}
		return use(body, due)
	})
}

// TestWrongStoresAreFound checks that the content of an engine after the last unit is compared byte
// by byte, also for records that were not due.
func TestWrongStoresAreFound(t *testing.T) {
	n := 0
	for want, change := range map[string]func(body []byte, due *int) bool{
		"1999 records are there": func([]byte, *int) bool { n++; return n != 700 },
		"in another state": func(body []byte, _ *int) bool {
			n++
			body[len(body)-1] ^= byte(n / 1500 << 7)
			return true
		},
		"due at another time": func(_ []byte, due *int) bool { *due ^= 1; return true },
	} {
		n = 0
		o := small(t.TempDir())
		o.Engines, o.DiskBytes, o.Repeat = []string{"forgetful"}, 0, 1
		old := Kinds
		Kinds = append([]Kind{{Name: "forgetful", bytesPerRecord: pebbleTimeKind.bytesPerRecord,
			open: func(dir string, p *paper.Plan, s Settings) (Engine, error) {
				e, err := pebbleTimeKind.open(dir, p, s)
				return forgetful{e.(*pebbleTime), change}, err
			}}}, old...)
		_, err := Run(t.Context(), o)
		Kinds = old
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "after the last unit") {
			t.Errorf("error %v, want %q", err, want)
		}
		empty(t, o.Dir)
	}
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

func TestOptionsAreChecked(t *testing.T) {
	for what, change := range map[string]func(o *Options){
		"units":       func(o *Options) { o.Units = 0 },
		"repetitions": func(o *Options) { o.Repeat = 0 },
		"requests":    func(o *Options) { o.Messages = math.NaN() },
		"no engine":   func(o *Options) { o.Engines = nil },
		"disk":        func(o *Options) { o.DiskBytes = -1 },
		"records":     func(o *Options) { o.Workload.Records = 0 },
	} {
		o := small(t.TempDir())
		change(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: error %v", what, err)
		}
		empty(t, o.Dir)
	}
	o := small(t.TempDir())
	o.Workload, o.Units = paper.WorkloadOptions{Records: 1, Unit: paper.Hour}, 1
	if _, err := Run(t.Context(), o); !errors.Is(err, ErrNothingDue) {
		t.Errorf("nothing due: error %v", err)
	}
}

// TestRoomOfShortIntervals checks the room for short intervals, with many records due at once.
func TestRoomOfShortIntervals(t *testing.T) {
	const n = 100_000
	room := func(longest int) int64 {
		w, err := paper.NewWorkload(paper.WorkloadOptions{Records: n, Unit: paper.Hour,
			MaxUnits: longest})
		if err != nil {
			t.Fatal(err)
		}
		return Room(Options{}, w, []Kind{seqlogKind})
	}
	if long, short := room(9600), room(1); long > n*10 || short < n*2*160 {
		t.Errorf("room for seqlog: %d bytes, and %d where all is due in each unit", long, short)
	}
}
