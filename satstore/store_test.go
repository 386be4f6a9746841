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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// S6: whatever is asked for, a record is due 1 to T units after the clock, and where the
// time asked for is among those, in its unit.
func TestDueIsClamped(t *testing.T) {
	rng := seeded(t)
	for range 10000 {
		s := &Store{unit: 1 + rng.Int64N(100000), units: 1 + rng.Int64N(maxUnits), clock: rng.Int64N(1e6) - 5e5}
		due := time.Unix((s.clock-2+rng.Int64N(s.units+4))*s.unit+rng.Int64N(s.unit), rng.Int64N(1e9))
		switch rng.IntN(10) {
		case 0:
			due = time.Time{}
		case 1:
			due = time.Unix(rng.Int64()-math.MaxInt64/2, 0)
		}
		u := s.dueUnit(due)
		if u < s.clock+1 || u > s.clock+s.units {
			t.Fatalf("clock %d, T %d: due %v in unit %d", s.clock, s.units, due, u)
		}
		start, end := time.Unix(u*s.unit, 0), time.Unix((u+1)*s.unit, 0)
		if due.Before(start) && u > s.clock+1 || !due.Before(end) && u < s.clock+s.units {
			t.Fatalf("clock %d, T %d: due %v in unit %d, from %v to %v", s.clock, s.units, due, u, start, end)
		}
	}
}

// S8: the order of [SAT 3.4], with what is left in each buffer after one flush.
func TestFlushOrder(t *testing.T) {
	for _, c := range []struct {
		name        string
		pages, want []int
	}{
		{"all above 16", []int{17, 16, 20, 3}, []int{0, 16, 0, 3}},
		{"none above 16: all above 4", []int{16, 5, 4, 1}, []int{0, 0, 4, 1}},
		{"none above 4: all above 1", []int{4, 1, 2, 0}, []int{0, 1, 0, 0}},
		{"one page each: the fullest, ties to the smallest unit", []int{0, 1, 1, 1}, []int{0, 0, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustOpen(t, "s", Options{FS: vfs.NewMem(), Now: day0, PageBytes: 256})
			defer s.Close()
			p := sitegraph.PageID(0)
			for i, n := range c.pages {
				for range n {
					must(t, s.Add(filling(t, p, at(i+1), 256)))
					p++
				}
			}
			must(t, s.flushSome())
			for i, want := range c.want {
				if b := s.buckets[s.unitOf(at(i+1))]; b != nil && b.buf.pages != want || b == nil && want != 0 {
					t.Errorf("buffer %d: want %d pages: %+v", i, want, b)
				}
			}
		})
	}
}

// filling returns a record whose frame has so many bytes, or one less where it cannot.
func filling(t *testing.T, p sitegraph.PageID, due time.Time, bytes int) *sitegraph.Record {
	r := newRecord(p, due)
	f, err := appendFrame(nil, r, 1, 0)
	must(t, err)
	for r.Reason = strings.Repeat("r", bytes-len(f)); ; r.Reason = r.Reason[1:] { // its length may take a byte more
		f, err := appendFrame(nil, r, 1, 0)
		must(t, err)
		if len(f) <= bytes {
			return r
		}
	}
}

// The last step of the flush frees the first page only, at the end of a record: one that
// reaches into the next page goes along, the rest stays and can be read.
func TestFlushOfOnePageKeepsRecordsWhole(t *testing.T) {
	s := mustOpen(t, "s", Options{FS: vfs.NewMem(), Now: day0, PageBytes: 256})
	defer s.Close()
	for p := range sitegraph.PageID(5) { // 1000 bytes in 4 pages, one record over each boundary
		must(t, s.Add(filling(t, p, at(1), 200)))
	}
	b := s.order[0]
	must(t, s.flushPages(b, 1))
	if b.buf.pages != 3 || b.size != 400 || b.buf.bytes != 600 {
		t.Errorf("after one page: %d pages, %d bytes in the file, %d in the buffer; want 3, 400, 600", b.buf.pages, b.size, b.buf.bytes)
	}
	for p := range sitegraph.PageID(5) {
		var r sitegraph.Record
		if must(t, s.Load(p, &r)); r != *filling(t, p, at(1), 200) {
			t.Errorf("page %d is %+v", p, r)
		}
	}
}

// S7: the pages of all buffers together never exceed the budget, which is used in full.
func TestBufferBudget(t *testing.T) {
	rng := seeded(t)
	s := mustOpen(t, "s", Options{FS: vfs.NewMem(), Now: day0, PageBytes: 64, BufferBytes: 64*40 + 63})
	defer s.Close()
	for p := range sitegraph.PageID(3000) {
		must(t, s.Add(filling(t, p, at(1+rng.IntN(30)), 120+rng.IntN(20)*rng.IntN(20))))
		if s.arena.used > 40 {
			t.Fatalf("%d pages in use", s.arena.used)
		}
	}
	if s.arena.peak != 40 {
		t.Errorf("at most %d pages of 40 were used", s.arena.peak)
	}
}

// The store tells its caller of mistakes and goes on.
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

// A store that was not used for months hands out every record once, and soon.
func TestLongGap(t *testing.T) {
	s := mustOpen(t, "s", Options{FS: vfs.NewMem(), Now: day0, Unit: time.Second, Units: 1000})
	defer s.Close()
	for p := range sitegraph.PageID(100) {
		must(t, s.Add(newRecord(p, day0.Add(time.Duration(p)*10*time.Second))))
	}
	var got []sitegraph.PageID
	must(t, s.Advance(at(365), func(r *sitegraph.Record) { got = append(got, r.Page); r.Due = at(366) }))
	if len(got) != 100 || !slices.IsSorted(got[1:]) { // pages 0 to 10 share no unit but the first
		t.Errorf("handed out %v", got)
	}
	must(t, s.Commit())
	if st := s.Stats(); st.BucketBytes != 0 || len(st.Buckets) != 1 || st.Buckets[0].Records != 100 {
		t.Errorf("left: %+v", st)
	}
}

// A page visited before it is due is not handed out at its old time.
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
	h := sitegraph.History{Epoch: rng.Uint32(), Last: rng.Uint32(), LastChange: rng.Uint32(), Stable: rng.Uint32(), WeeksSeen: rng.Uint32(), WeeksChanged: rng.Uint32(),
		MinInterval: rng.Uint32(), Visits: rng.Uint32(), Changes: rng.Uint32()}
	r := sitegraph.Record{Page: sitegraph.PageID(rng.Int32()), URL: fmt.Sprint("http://h.example/", text(80)), Referer: text(80),
		State: sitegraph.State(rng.IntN(256)), Status: int(rng.Int64()) >> rng.IntN(64), Errors: uint8(rng.Uint32()), Hops: uint8(rng.Uint32()),
		ETag: text(40), LastModified: when(), Size: rng.Int64() >> rng.IntN(64), History: h, Tried: when(), Due: when(), Reason: text(40),
		Digests: sitegraph.Digests{Bytes: digest(), Text: digest(), Main: digest()}}
	if rng.IntN(2) == 0 {
		r.Referer = "http://h.example/" + r.Referer
	}
	r.Interval = time.Duration(rng.Int64()) >> rng.IntN(64)
	return r
}
