package paper

import (
	"bytes"
	"fmt"
	"hash/crc64"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var crc = crc64.MakeTable(crc64.ECMA)

// drawn is a number that hangs on a record and a unit, not on the order of visits.
func drawn(id ID, t int64) int64 {
	return int64(crc64.Checksum(fmt.Appendf(id[:], "%d", t), crc) >> 1)
}

// handedOver runs one store through the same life as any other and returns what each of
// its units handed over, in the order of ids.
func handedOver(t *testing.T, v variant, seed uint64, requests bool) []string {
	t.Helper()
	d := newDriver(v.Options, rand.New(rand.NewPCG(seed, 4)))
	fs := vfs.NewMem()
	if err := d.open(fs); err != nil {
		t.Fatal(err)
	}
	var ids []ID
	add := func(due int64) {
		id := d.anyID()
		body := d.newBody(id)
		if _, err := d.s.Add(due, body); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for range 300 {
		add(1 + d.rng.Int64N(testUnits))
	}
	var units []string
	for now := int64(1); now <= 4*testUnits; now++ {
		for range 8 {
			r := Request{ID: ids[d.rng.IntN(len(ids))], Delete: d.rng.IntN(50) == 0,
				Payload: fmt.Appendf(nil, "%d;", now)}
			if requests {
				if _, err := d.s.Request(r); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []string
		if err := d.s.Visit(func(v *Visit) int64 {
			id := ID(v.Body)
			got = append(got, fmt.Sprintf("%x %d %q", id, crc64.Checksum(v.Body, crc), v.Messages))
			x := drawn(id, now)
			v.Body = append(v.Body[:idBytes+min(int(x%9), len(v.Body)-idBytes)],
				bytes.Join(v.Messages, nil)...)
			v.Body = append(v.Body, make([]byte, x%40)...)
			return now + 1 + x%testUnits
		}); err != nil {
			t.Fatal(err)
		}
		if err := d.s.Commit(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		units = append(units, strings.Join(got, "\n"))
		if d.rng.IntN(20) == 0 {
			if err := d.s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := d.open(fs); err != nil {
				t.Fatal(err)
			}
		}
		add(now + d.rng.Int64N(testUnits))
	}
	if st := d.s.Stats(); st.PeakPages > v.BufferBytes/v.PageBytes || st.Visited == 0 &&
		st.LogBytes == 0 {
		t.Errorf("%s: %+v", v.name, st)
	}
	if err := d.s.Close(); err != nil {
		t.Fatal(err)
	}
	return units
}

// All forms hand over exactly the same records, with the same messages, in each unit.
func TestFormsAgree(t *testing.T) {
	seed := seeded(t).Uint64()
	for _, requests := range []bool{false, true} {
		var want []string
		first := ""
		for _, v := range variants() {
			if requests && v.Form == Basic {
				continue
			}
			got := handedOver(t, v, seed, requests)
			if want == nil {
				want, first = got, v.name
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("unit %d: %s handed over\n%s\n%s\n%s",
						i+1, v.name, got[i], first, want[i])
					break
				}
			}
		}
	}
}

// Without pages to spare the flush takes the order of the paper, and never more pages than
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
			all = append(all, s.streamOf(kindRecord, due).buf.pages)
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
		want []int // pages after one more record for that bucket
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
	if f := s.Stats().Flushes; f != [4]int64{1, 1, 0, 0} {
		t.Errorf("flushes %v", f)
	}
}

// When every buffer has one page at most, the fullest gives up its own.
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
		pages = append(pages, s.streamOf(kindRecord, due).buf.pages)
	}
	if !slices.Equal(pages, []int{1, 0, 1, 1}) || s.Stats().Flushes != [4]int64{0, 0, 0, 1} {
		t.Errorf("pages %v, flushes %v", pages, s.Stats().Flushes)
	}
}

// The index holds any unit of a long life, in 16 bits, because its base moves.
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
	for _, o := range []Options{{}, {Form: 4}, {Form: SAT, Units: -1},
		{Form: SAT, Units: 70000, IndexBits: 16}, {Form: SAT, IndexBits: 8},
		{Form: SAT, PageBytes: 10}, {Form: SAT, BufferBytes: 100}, {Form: SAT, Delivery: 2},
		{Form: SAT, OpenFiles: -1},
		{Form: SAT, Units: 100, Levels: []Level{{2, 100}}},
		{Form: SAT, Units: 100, Levels: []Level{{1, 100}}},
		{Form: SAT, Units: 100, Levels: []Level{{1, 10}, {4, 50}}},
		{Form: SAT, Units: 100, Levels: []Level{{1, 12}, {4, 25}}}} {
		o.FS = vfs.NewMem()
		if s, err := Open("a", o); err == nil {
			s.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
	fs := vfs.NewMem()
	for i, o := range []Options{{Form: SAT, Units: 10}, {Form: Naive, Units: 10},
		{Form: SAT, Units: 11}, {Form: SAT, Units: 10, Delivery: Hashed}} {
		o.FS = fs
		s, err := Open("a", o)
		if (err == nil) != (i == 0) {
			t.Errorf("opened as %+v: %v", o, err)
		}
		if err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
