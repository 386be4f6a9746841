package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

// foreign is a store without a log: the payloads that it received, and the durable ones. Payloads
// are numbers, so that receiving one twice in order changes nothing.
type foreign struct{ got, durable []string }

func (f *foreign) options(o Options) Options {
	o.Apply = func(payload []byte) error {
		name, _, _ := strings.Cut(string(payload), ".")
		if i := slices.Index(f.got, name); i >= 0 {
			f.got = f.got[:i] // its successors come again
		}
		f.got = append(f.got, name)
		return nil
	}
	o.Flush = func() error { f.durable = slices.Clone(f.got); return nil }
	return o
}

// A foreign store loses at each crash what it did not flush. After Open it has exactly the payloads
// attached to transactions of the runs.
func TestAttachmentsSurviveEveryCrash(t *testing.T) {
	t.Parallel()
	for _, v := range variants()[:4] {
		t.Run(v.name, func(t *testing.T) { attachmentsSurvive(t, v.o) })
	}
}

func attachmentsSurvive(t *testing.T, o Options) {
	type crash struct {
		fs             *vfs.MemFS
		durable        []string
		acked, pending int
	}
	rng := seeded(t)
	mem := vfs.NewCrashableMem()
	var crashes []crash
	f := &foreign{}
	acked, pending := 0, 0
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
				100}[rng.IntN(3)], RNG: rng})
			crashes = append(crashes, crash{c, slices.Clone(f.durable), acked, pending})
		}
		return nil
	}))
	o.FS = fs
	puts := 40
	if testing.Short() { // each round makes and reopens some crashes
		puts = 15
	}
	for range 3 {
		pending = acked
		f.got = slices.Clone(f.durable)
		s, err := Open(storeDir, f.options(o))
		must(t, err)
		for range puts {
			must(t, s.Put(uint32(pending), s.Clock()+rng.Int64N(20), []byte("record")))
			// each crash keeps a copy of the disk
			long := strings.Repeat("x", rng.IntN(4)*rng.IntN(2000))
			if rng.IntN(30) == 0 {
				long = strings.Repeat("x", rng.IntN(600_000))
			}
			must(t, s.Attach(fmt.Appendf(nil, "%d.%s", pending, long)))
			pending++
			if rng.IntN(3) == 0 {
				must(t, s.Commit())
				acked = pending
			}
			if rng.IntN(10) == 0 {
				must(t, s.Checkpoint())
				acked = pending
			}
		}
		must(t, s.Close())
	}
	for i, c := range crashes {
		if crashtest.Spared(i) {
			continue
		}
		f := &foreign{got: c.durable}
		o.FS = c.fs
		s, err := Open(storeDir, f.options(o))
		if err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		n := int(s.Next())
		want := make([]string, n)
		for k := range want {
			want[k] = fmt.Sprint(k)
		}
		if n != c.acked && n != c.pending || !slices.Equal(f.got, want) {
			t.Fatalf("crash %d: %d records of %d or %d, attachments %v",
				i, n, c.acked, c.pending, f.got)
		}
		checkClean(t, s)
		must(t, s.Close())
	}
	t.Logf("%d crashes", len(crashes))
}

func TestAttachMisuse(t *testing.T) {
	mem := vfs.NewCrashableMem()
	f := &foreign{}
	s := mustOpen(t, storeDir, Options{FS: mem})
	if s.Attach([]byte("1")) == nil {
		t.Error("attached without Apply")
	}
	must(t, s.Close())
	s = mustOpen(t, storeDir, f.options(Options{FS: mem}))
	must(t, s.Attach([]byte("1")))
	if len(f.got) > 0 {
		t.Error("handed over before Commit")
	}
	must(t, s.Commit())
	if len(f.got) != 1 || len(f.durable) > 0 {
		t.Errorf("after Commit %+v", f)
	}
	clone := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100,
		RNG: rand.New(rand.NewPCG(1, 1))})
	must(t, s.Close())
	if len(f.durable) != 1 {
		t.Error("not flushed before the log began anew")
	}
	if s, err := Open(storeDir, Options{FS: clone}); err == nil {
		t.Error("attachments passed over")
		s.Close()
	}
	o := f.options(Options{FS: mem})
	fail := errors.New("no")
	o.Apply = func([]byte) error { return fail }
	s = mustOpen(t, storeDir, o)
	must(t, s.Attach([]byte("2")))
	if err := s.Commit(); !errors.Is(err, fail) {
		t.Errorf("commit: %v", err)
	}
	if err := s.Commit(); !errors.Is(err, fail) {
		t.Errorf("goes on: %v", err)
	}
	s.Close()
}

// Each passes on what Load and Messages return, and Replace removes the first messages.
func TestEachAndReplace(t *testing.T) {
	for _, v := range variants() {
		d := &driver{rng: seeded(t), acked: newModel(), pending: newModel(), seqs: 50, big: true}
		v.o.FS = vfs.NewMem()
		d.s = mustOpen(t, storeDir, v.o)
		for range 400 {
			must(t, d.step())
		}
		got := 0
		must(t, d.s.Each(func(r *Record) error {
			got++
			want := d.pending.records[r.Seq]
			list, err := d.s.Messages(r.Seq)
			if err != nil || r.Due != want.due || !bytes.Equal(r.Body, want.body) ||
				!slices.EqualFunc(r.Messages, want.messages, bytes.Equal) ||
				!slices.EqualFunc(list, want.messages, bytes.Equal) {
				t.Errorf("%s: record %d: %d messages, %d, want %d; %v",
					v.name, r.Seq, len(r.Messages), len(list), len(want.messages), err)
			}
			return nil
		}))
		parts := 0
		for first := uint32(0); first < 50; first += 10 {
			must(t, d.s.EachOf(first, first+9, func(r *Record) error {
				parts++
				if want := d.pending.records[r.Seq]; r.Seq < first || r.Seq > first+9 ||
					!slices.EqualFunc(r.Messages, want.messages, bytes.Equal) {
					t.Errorf("%s: record %d with %d messages is of those from %d to %d",
						v.name, r.Seq, len(r.Messages), first, first+9)
				}
				return nil
			}))
		}
		if parts != got {
			t.Errorf("%s: %d records in parts, and %d in all", v.name, parts, got)
		}
		sum := 0
		for _, sl := range d.s.Slots() {
			sum += sl.Records
		}
		if got != len(d.pending.records) || sum != got {
			t.Errorf("%s: %d records and %d in slots, want %d",
				v.name, got, sum, len(d.pending.records))
		}
		must(t, d.s.Put(60, d.s.Clock()+1, []byte("b")))
		for _, m := range []string{"1", "2", "3"} {
			must(t, d.s.Message(60, []byte(m)))
		}
		must(t, d.s.Replace(60, d.s.Clock()+3, []byte("c"), 2))
		if list, err := d.s.Messages(60); err != nil || len(list) != 1 || string(list[0]) != "3" {
			t.Errorf("left %q %v", list, err)
		}
		must(t, d.s.Replace(60, d.s.Clock()+3, []byte("c"), 9))
		if list, err := d.s.Messages(60); err != nil || len(list) != 0 {
			t.Errorf("left %q %v", list, err)
		}
		must(t, d.s.Commit())
		checkClean(t, d.s)
		must(t, d.s.Close())
	}
}
