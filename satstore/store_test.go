package satstore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

var day0 = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)

func at(day int) time.Time { return day0.AddDate(0, 0, day) }

func newRecord(p sitegraph.PageID, due time.Time) *sitegraph.Record {
	return &sitegraph.Record{Page: p, URL: modelURL(p), State: sitegraph.StateNew, Due: due}
}

func mustOpen(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// S6: a record is always due 1 to T units after the clock. A requested time in this range gets its
// unit.
func TestDueIsClamped(t *testing.T) {
	rng := seeded(t)
	for _, unit := range []time.Duration{time.Minute, time.Hour, 7 * time.Hour, 24 * time.Hour} {
		s := mustOpen(t, "s",
			Options{FS: vfs.NewMem(), Now: day0, Unit: unit, Horizon: 300 * 24 * time.Hour})
		clock, units := s.runs.Clock(), s.runs.Horizon()
		must(t, s.Add(newRecord(0, at(1))))
		for range 2000 {
			due := time.Unix((clock-2+rng.Int64N(units+4))*s.unit+rng.Int64N(s.unit),
				rng.Int64N(1e9))
			switch rng.IntN(10) {
			case 0:
				due = time.Time{}
			case 1:
				due = time.Unix(rng.Int64()-math.MaxInt64/2, 0)
			}
			must(t, s.Save(newRecord(0, due)))
			_, u, _, err := s.runs.Load(0, nil)
			must(t, err)
			if u < clock+1 || u > clock+units {
				t.Fatalf("clock %d, T %d: due %v in unit %d", clock, units, due, u)
			}
			start, end := time.Unix(u*s.unit, 0), time.Unix((u+1)*s.unit, 0)
			if due.Before(start) && u > clock+1 || !due.Before(end) && u < clock+units {
				t.Fatalf("clock %d, T %d: due %v in unit %d, from %v to %v",
					clock, units, due, u, start, end)
			}
		}
		must(t, s.Close())
	}
}

// Levels returns the units and horizons of [SAT 3.6].
func TestLevels(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		unit, horizon time.Duration
		want          []engine.Level
	}{
		{time.Hour, 400 * day, engine.HoursAndDays},
		{day, 400 * day, engine.Days},
		{time.Minute, 400 * day, engine.MinutesHoursAndDays},
		{time.Second, 400 * day, []engine.Level{{Units: 1, Slots: 120}, {Units: 60, Slots: 120},
			{Units: 3600, Slots: 48}, {Units: 86400, Slots: 402}}},
		{time.Hour, day, []engine.Level{{Units: 1, Slots: 26}}},
		{7 * time.Hour, 70 * time.Hour, []engine.Level{{Units: 1, Slots: 12}}},
		{7 * day, 400 * day, []engine.Level{{Units: 1, Slots: 60}}},
		{time.Hour, 1, []engine.Level{{Units: 1, Slots: 3}}},
	} {
		got := levelsFor(c.unit, c.horizon)
		if !slices.Equal(got, c.want) || horizonOf(c.unit, got) < c.horizon {
			t.Errorf("unit %v, horizon %v: %v, want %v", c.unit, c.horizon, got, c.want)
		}
	}
}

// The store returns an error for each misuse and goes on.
func TestMisuse(t *testing.T) {
	s := mustOpen(t, "s", Options{FS: vfs.NewMem(), Now: day0})
	must(t, s.Add(newRecord(0, at(1))))
	tooLong := newRecord(0, at(1))
	tooLong.URL = strings.Repeat("u", maxStringBytes+1)
	tooLongNew := *tooLong
	tooLongNew.Page = 1
	var r sitegraph.Record
	for name, err := range map[string]error{
		"gap":               s.Add(newRecord(2, at(1))),
		"twice":             s.Add(newRecord(0, at(1))),
		"add too long":      s.Add(&tooLongNew),
		"save unknown":      s.Save(newRecord(1, at(1))),
		"save too long":     s.Save(tooLong),
		"load unknown":      s.Load(1, &r),
		"load none":         s.Load(sitegraph.NoPage, &r),
		"links to unknown":  s.SaveLinks(0, []sitegraph.PageID{1}, nil),
		"start unknown":     s.SaveStart(1),
		"restore too early": s.Restore(sitegraph.NewGraph(), func(*sitegraph.Record) {}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	err := s.Advance(at(3), func(r *sitegraph.Record) {
		if s.Save(r) == nil || s.Commit() == nil || s.Advance(at(9), nil) == nil {
			t.Error("the store can be changed from again")
		}
		must(t, s.Load(0, &sitegraph.Record{}))
		r.Page, r.Due = 7, at(20)
	})
	must(t, err)
	must(t, s.Commit())
	if must(t, s.Load(0, &r)); r.Due != at(20) || s.Pages() != 1 {
		t.Errorf("%+v of %d pages", r, s.Pages())
	}
	must(t, s.Close())
	if err := s.Save(newRecord(0, at(1))); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

// After months without use, a store hands out every record once, and soon.
func TestLongGap(t *testing.T) {
	s := mustOpen(t, "s", Options{FS: vfs.NewMem(), Now: day0, Unit: time.Second,
		Horizon: 1000 * time.Second})
	defer s.Close()
	for p := range sitegraph.PageID(100) {
		must(t, s.Add(newRecord(p, day0.Add(time.Duration(p)*10*time.Second))))
	}
	var got []sitegraph.PageID
	must(t, s.Advance(at(365), func(r *sitegraph.Record) {
		got = append(got, r.Page)
		r.Due = at(366)
	}))
	if len(got) != 100 || !slices.IsSorted(got[1:]) { // pages 0 to 10 share only the first unit
		t.Errorf("handed out %v", got)
	}
	must(t, s.Commit())
	if due, err := s.Pending(); err != nil || len(due) != 1 || due[0].Records != 100 {
		t.Errorf("left: %+v %v", due, err)
	}
}

// After a visit before its due time, a page is not handed out at the old time.
func TestEarlyVisitMakesOldCopyStale(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, "s", Options{FS: fs, Now: day0})
	must(t, s.Add(newRecord(0, at(5))))
	must(t, s.Commit())
	must(t, s.Close()) // now it is in a file
	s = mustOpen(t, "s", Options{FS: fs})
	defer s.Close()
	must(t, s.Save(newRecord(0, at(9))))
	n := 0
	count := func(r *sitegraph.Record) { n++; r.Due = at(30) }
	if must(t, s.Advance(at(5), count)); n != 0 {
		t.Error("handed out at the old time")
	}
	if must(t, s.Advance(at(9), count)); n != 1 {
		t.Error("not handed out at the new time")
	}
}

func randomRecord(rng *rand.Rand) sitegraph.Record {
	text := func(n int) string {
		b := make([]byte, rng.IntN(n))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return string(b)
	}
	when := func() time.Time {
		switch rng.IntN(4) {
		case 0:
			return time.Time{}
		case 1:
			return time.Unix(rng.Int64N(4e9), 0).UTC()
		}
		return time.Unix(rng.Int64N(1e12)-5e11, rng.Int64N(1e9)).UTC()
	}
	digest := func() (d sitegraph.Digest) {
		if rng.IntN(2) == 0 {
			d = sitegraph.DigestOf([]byte(text(9)))
		}
		return d
	}
	h := sitegraph.History{Epoch: rng.Uint32(), Last: rng.Uint32(), LastChange: rng.Uint32(),
		Stable: rng.Uint32(), WeeksSeen: rng.Uint32(), WeeksChanged: rng.Uint32(),
		MinInterval: rng.Uint32(), Visits: rng.Uint32(), Changes: rng.Uint32()}
	r := sitegraph.Record{Page: sitegraph.PageID(rng.Int32()),
		URL: fmt.Sprint("http://h.example/", text(80)), Referer: text(80),
		State: sitegraph.State(rng.IntN(256)), Status: int(rng.Int64()) >> rng.IntN(64),
		Errors: uint8(rng.Uint32()), Hops: uint8(rng.Uint32()),
		Misses: uint8(rng.Uint32()) * uint8(rng.IntN(2)), NoIndex: rng.IntN(2) == 0,
		ByRobots: rng.IntN(2) == 0, More: rng.IntN(2) == 0, Refuses: rng.IntN(2) == 0,
		Missed: [...]sitegraph.Outcome{0, sitegraph.OutcomeGone, sitegraph.OutcomeRedirected,
			sitegraph.OutcomeExcluded}[rng.IntN(4)],
		ETag: text(40), LastModified: when(), Size: rng.Int64() >> rng.IntN(64), History: h,
		Tried: when(), Due: when(), Reason: text(40),
		Digests: sitegraph.Digests{Bytes: digest(), Text: digest(), Main: digest()}}
	if rng.IntN(2) == 0 {
		r.Referer = "http://h.example/" + r.Referer
	}
	r.Interval = time.Duration(rng.Int64()) >> rng.IntN(64)
	return r
}

// dueAt returns a function for Reschedule.
func dueAt(due time.Time) func(*sitegraph.Record) {
	return func(r *sitegraph.Record) { r.Due = due }
}
