package paper

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

const testUnits = 30

// forms returns all forms with small limits, so that buffers, sort, log and open files soon
// overflow.
func forms() map[string]Options {
	all := map[string]Options{}
	for name, form := range map[string]Form{"basic": Basic, "sat": SAT, "naive": Naive} {
		all[name] = Options{FS: vfs.NewMem(), Form: form, Units: testUnits, PageBytes: 128,
			BufferBytes: 12 * 128, SortBytes: 700, LogBytes: 6 << 10, openFiles: 3}
	}
	return all
}

// record is the model of one record.
type record struct {
	due            int64
	body           []byte
	messages, held [][]byte
	drop           bool
}

// life does the same operations to a store and to a map.
type life struct {
	*testing.T
	s       *Store
	rng     *rand.Rand
	clock   int64
	records map[ID]*record
	ids     []ID
	dropped int
	handed  int // messages
}

func (l *life) newBody(id ID) []byte {
	n := l.rng.IntN(60)
	if l.rng.IntN(40) == 0 {
		n = l.rng.IntN(3000) // longer than every buffer
	}
	body := append(id[:], make([]byte, n)...)
	for i := idBytes; i < len(body); i++ {
		body[i] = byte(l.rng.Uint32())
	}
	return body
}

func (l *life) add(now int64) {
	var id ID
	binary.BigEndian.PutUint64(id[:], l.rng.Uint64())
	binary.BigEndian.PutUint64(id[8:], uint64(len(l.ids)))
	l.ids = append(l.ids, id)
	wanted := l.clock + l.rng.Int64N(testUnits+8) - 2
	due := min(max(wanted, now+1), now+testUnits) // clamped [SAT 3.3]
	body := l.newBody(id)
	if _, err := l.s.Add(wanted, body); err != nil {
		l.Fatal(err)
	}
	if l.records[id] = (&record{due: due, body: body}); l.s.ids != nil {
		if _, err := l.s.Add(due, body); !errors.Is(err, ErrExists) {
			l.Fatalf("a second record of the same id: %v", err)
		}
	}
}

// request sends messages to any records. A record that is due in unit t and not visited yet gets
// its messages after the visit.
func (l *life) request(t int64) {
	if l.s.ids == nil || len(l.ids) == 0 {
		return
	}
	id := l.ids[l.rng.IntN(len(l.ids))]
	have := l.records[id]
	if have == nil { // it was deleted
		return
	}
	r := Request{ID: id, Delete: t == 0 && l.rng.IntN(8) == 0,
		Payload: fmt.Append(nil, l.rng.IntN(1000))}
	if unknown, err := l.s.Request(r, Request{ID: ID{1, 2, 3}}); err != nil || unknown != 1 {
		l.Fatalf("a request of a known and one of an unknown record: %d unknown, %v", unknown, err)
	}
	if have.drop = have.drop || r.Delete; have.due == t {
		have.held = append(have.held, r.Payload)
	} else {
		have.messages = append(have.messages, r.Payload)
	}
}

func (l *life) unit() {
	t := l.clock + 1
	due := map[ID]bool{}
	for id, r := range l.records {
		if r.due != t {
			continue
		}
		if due[id] = true; r.drop {
			l.dropped++
			delete(due, id)
			delete(l.records, id)
		}
	}
	if err := l.s.Visit(func(v *Visit) int64 {
		id := ID(v.Body)
		r := l.records[id]
		if !due[id] || !bytes.Equal(r.body, v.Body) ||
			!slices.EqualFunc(r.messages, v.Messages, bytes.Equal) {
			l.Fatalf("unit %d: visited %x with %q, want %+v", t, v.Body, v.Messages, r)
		}
		delete(due, id)
		l.handed += len(v.Messages)
		if l.rng.IntN(3) == 0 {
			l.request(t)
		}
		if l.rng.IntN(12) == 0 {
			l.add(t)
		}
		if v.Body = l.newBody(id); l.rng.IntN(2) == 0 {
			v.Body = bytes.Clone(r.body)
		}
		*r = record{due: t + 1 + l.rng.Int64N(testUnits), body: bytes.Clone(v.Body),
			messages: r.held}
		return r.due
	}); err != nil {
		l.Fatal(err)
	}
	if len(due) > 0 {
		l.Fatalf("unit %d left out %d records", t, len(due))
	}
	l.clock = t
}

// All forms return the records of a map in memory, with their messages, and keep the others.
func TestFormsAgreeWithAMap(t *testing.T) {
	for name, o := range forms() {
		t.Run(name, func(t *testing.T) {
			s, err := Open("a", o)
			if err != nil {
				t.Fatal(err)
			}
			l := &life{T: t, s: s, rng: crashtest.Seeded(t), records: map[ID]*record{}}
			for l.clock < 5*testUnits {
				for range l.rng.IntN(25) {
					l.add(l.clock)
				}
				for range l.rng.IntN(9) {
					l.request(0)
				}
				if l.rng.IntN(2) == 0 {
					l.unit()
				}
				if err := s.Commit(); err != nil {
					t.Fatal(err)
				}
				if s.arena.used > s.arena.limit || s.files.open > o.openFiles {
					t.Fatalf("%d pages of %d, %d files", s.arena.used, s.arena.limit, s.files.open)
				}
			}
			if s.log.number < 3 ||
				s.ids != nil && (l.handed == 0 || l.dropped == 0 || s.sorter.written == 0) {
				t.Errorf("%d logs, %d messages, %d dropped, %d bytes of sorting: too little happened",
					s.log.number, l.handed, l.dropped, s.sorter.written)
			}
			left := maps.Clone(l.records)
			if err := s.Each(func(body []byte, due int64) error {
				r := left[ID(body)]
				if r == nil || r.due != due || !bytes.Equal(r.body, body) {
					t.Errorf("%x is due at %d, want %+v", body, due, r)
				}
				delete(left, ID(body))
				return nil
			}); err != nil || len(left) > 0 {
				t.Errorf("%d records are gone, %v", len(left), err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A failed write returns its error. From then on, every operation returns this error, whichever
// write failed.
func TestFailedWritesStick(t *testing.T) {
	full, at := errors.New("disk full"), 0
	for at = 0; ; at++ {
		n := -1
		fails := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && !strings.Contains(op.Path, "ids") {
				if n++; n == at {
					return full
				}
			}
			return nil
		})
		o := forms()["sat"]
		o.FS = errorfs.Wrap(vfs.NewMem(), fails)
		s, err := Open("a", o)
		for unit := int64(1); unit < 7 && err == nil; unit++ {
			for i := range 12 {
				body := append(make([]byte, idBytes-2), byte(unit), byte(i), 1, 2, 3)
				_, add := s.Add(unit+1, body)
				err = cmp.Or(err, add)
			}
			if err == nil {
				err = s.Visit(func(*Visit) int64 { return unit + 2 })
			}
			if err == nil {
				err = s.Commit()
			}
		}
		if n < at {
			break
		}
		if !errors.Is(err, full) {
			t.Fatalf("operation %d failed, and the error is %v", at, err)
		}
		if s != nil {
			if again := s.Commit(); !errors.Is(again, full) {
				t.Fatalf("operation %d failed; a commit later gives %v", at, again)
			}
			s.Close()
		}
	}
	if at < 40 {
		t.Errorf("%d operations", at)
	}
}

// A damage error names file and offset.
func TestDamage(t *testing.T) {
	o := forms()["sat"]
	s, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Add(1, make([]byte, 3000)); err != nil { // written through: it is too long
		t.Fatal(err)
	}
	f, err := o.FS.OpenReadWrite("a/bucket-1", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{7}, 100); err != nil {
		t.Fatal(err)
	}
	err = s.Visit(func(*Visit) int64 { return 2 })
	if err == nil || !strings.Contains(err.Error(), "bucket-1 is damaged at byte 0") {
		t.Errorf("error %v", err)
	}
}

// If no page is free, the flush follows the order of the paper. The store never has more pages than
// allowed.
func TestFlushOrder(t *testing.T) {
	s, err := Open("a", Options{FS: vfs.NewMem(), Form: Basic, Units: 10, PageBytes: 64,
		BufferBytes: 40 * 64})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	body := make([]byte, 64-headerBytes) // a page with its header
	pages := func() (all []int) {
		for due := int64(1); due <= 6; due++ {
			all = append(all, s.bucket(due).buf.pages)
		}
		return all
	}
	add := func(due int64, n int) {
		for range n {
			if _, err := s.Add(due, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(1, 17)
	add(2, 16)
	add(3, 5)
	add(4, 2)
	for _, c := range []struct {
		what string
		due  int64
		want []int // pages after another record for this bucket
	}{
		{"above 16 alone", 5, []int{0, 16, 5, 2, 1, 0}},
		{"full again, above 16", 6, []int{0, 16, 5, 2, 1, 16}},
		{"above 4: all three", 1, []int{1, 0, 0, 2, 1, 0}},
	} {
		n := 1
		if c.due == 6 {
			n = 16
		}
		add(c.due, n)
		if got := pages(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v pages, want %v", c.what, got, c.want)
		}
	}
	if s.flushes != [4]int64{1, 1, 0, 0} {
		t.Errorf("flushes %v", s.flushes)
	}
}

// If every buffer has at most one page, the fullest gives up its page.
func TestStarvedFlush(t *testing.T) {
	s, err := Open("a", Options{FS: vfs.NewMem(), Form: Basic, Units: 10, PageBytes: 1024,
		BufferBytes: 3 * 1024})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for due, n := range []int{0, 100, 900, 300, 50} {
		if n == 0 {
			continue
		}
		if _, err := s.Add(int64(due), make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	var pages []int
	for due := int64(1); due <= 4; due++ {
		pages = append(pages, s.bucket(due).buf.pages)
	}
	if !slices.Equal(pages, []int{1, 0, 1, 1}) || s.flushes != [4]int64{0, 0, 0, 1} {
		t.Errorf("pages %v, flushes %v", pages, s.flushes)
	}
}

// The index holds any unit of a long life in 16 bits, because its base moves.
func TestBucketIndex(t *testing.T) {
	for _, bits := range []int{16, 24} {
		x := bucketIndex{bits: bits}
		rng := rand.New(rand.NewPCG(1, 1))
		reach := int64(1)<<bits - 2
		want := map[uint32]int64{}
		for seq := range uint32(100) {
			want[seq] = 1 + rng.Int64N(reach)
			x.set(seq, want[seq], 0)
		}
		for now := int64(0); now < 5*reach; {
			now = slices.Min(slices.Collect(maps.Values(want)))
			for seq := range uint32(100) {
				if want[seq] != now {
					continue
				}
				if x.drop(seq); x.due(seq) != none {
					t.Fatalf("%d bits: record %d is due although it was dropped", bits, seq)
				}
				want[seq] = now + 1 + rng.Int64N(reach)
				x.set(seq, want[seq], now-1)
			}
			for seq := range uint32(110) {
				due, ok := want[seq]
				if got := x.due(seq); ok && got != due || !ok && got != none {
					t.Fatalf("%d bits, unit %d: record %d is due at %d, want %d, %v",
						bits, now, seq, got, due, ok)
				}
			}
		}
		if x.base == 0 {
			t.Errorf("%d bits: the base never moved", bits)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{}, {Form: 4}, {Form: SAT, Units: -1}, {Form: SAT, Units: 1 << 24},
		{Form: SAT, PageBytes: 10}, {Form: SAT, BufferBytes: 100}, {Form: SAT, SortBytes: -1}} {
		o.FS = vfs.NewMem()
		if s, err := Open("a", o); err == nil {
			s.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
	s, err := Open("a", Options{FS: vfs.NewMem(), Form: SAT, Units: 70_000})
	if err != nil || s.index.bits != 24 {
		t.Errorf("70,000 units: %v", err)
	}
	s.Close()
	if s, err = Open("a", Options{FS: vfs.NewMem(), Form: Basic}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Request(Request{}); !errors.Is(err, ErrNoIndex) {
		t.Errorf("a request to SAT/Basic: %v", err)
	}
	s.Close()
}
