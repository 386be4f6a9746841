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

	"github.com/recrawl/recrawl/satstore/directory"
)

// contents returns the names and contents of a store's files.
func contents(t testing.TB, fs vfs.FS, dir string) map[string][]byte {
	t.Helper()
	names, err := fs.List(dir)
	must(t, err)
	all := map[string][]byte{}
	for _, name := range names {
		if name != directory.LockName {
			all[name] = readAll(t, fs, fs.PathJoin(dir, name))
		}
	}
	return all
}

// diskOf returns a disk with a store of these files.
func diskOf(t testing.TB, files map[string][]byte) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	must(t, fs.MkdirAll(storeDir, 0o755))
	for name, b := range files {
		writeAll(t, fs, fs.PathJoin(storeDir, name), b)
	}
	return fs
}

// aged returns the files of a store with history: runs, a log with frames of all kinds, stale
// copies and messages. It also returns the expected content. If closed, the log has only a
// snapshot.
func aged(t testing.TB, closed bool) (map[string][]byte, *model, int) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	o := smallOptions(mem)
	o.LogBytes = 1 << 20 // no checkpoint except the one below
	s, err := Open(storeDir, o)
	must(t, err)
	d := &driver{s: s, rng: rand.New(rand.NewPCG(7, 7)), acked: newModel(), pending: newModel(),
		seqs: 40}
	for range 150 {
		must(t, d.step())
	}
	must(t, s.Checkpoint())
	for range 60 {
		if err := d.put(); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		must(t, d.step())
	}
	must(t, d.commit())
	if closed {
		must(t, s.Close())
		return contents(t, mem, storeDir), d.acked, d.seqs
	}
	files := contents(t, mem, storeDir)
	s.Close()
	return files, d.acked, d.seqs
}

// survey checks that a store has nothing outside a model, and that its damages name exactly the
// missing records.
func survey(s *Store, m *model, seqs int) error {
	lost := map[uint32]bool{}
	units := s.Horizon() + 1
	got := map[uint32]bool{}
	var wrong error
	for seq := range uint32(seqs) {
		if err := loadOne(s, m, seq); err != nil {
			if isDamage(err) {
				lost[seq] = true
				continue
			}
			wrong = errors.Join(wrong, err)
		}
	}
	anyMessages := slices.ContainsFunc(s.Damage(), func(d *DamageError) bool {
		return len(d.Seqs) == 0
	})
	if !s.o.ReadOnly {
		err := s.Advance(s.Clock()+units, func(r *Record) (int64, []byte) {
			w, there := m.records[r.Seq]
			sameMessages := slices.EqualFunc(r.Messages, w.messages, bytes.Equal)
			if !there || got[r.Seq] || r.Due != w.due || !bytes.Equal(r.Body, w.body) ||
				!sameMessages && !anyMessages && s.damage.count == 0 {
				wrong = errors.Join(wrong, fmt.Errorf("handed out %+v, want %+v", *r, w))
			}
			got[r.Seq] = true
			return s.Clock() + 5, r.Body
		})
		if err != nil {
			return err
		}
		named := map[uint32]bool{}
		for _, d := range s.Damage() {
			for _, seq := range d.Seqs {
				named[seq] = true
			}
		}
		for seq := range m.records {
			if got[seq] == named[seq] {
				wrong = errors.Join(wrong, fmt.Errorf("record %d: handed out %v, named as lost %v",
					seq, got[seq], named[seq]))
			}
			if lost[seq] && got[seq] {
				wrong = errors.Join(wrong,
					fmt.Errorf("record %d: could not be loaded, and was handed out", seq))
			}
		}
	}
	return wrong
}

// needed returns a function that reports whether a byte of a file matters, such as those of headers
// and blocks in a run file: Check must notice its damage. Other bytes are stale blocks, messages to
// a slot without records, which the next writing Open drops, and gaps between blocks.
func needed(t *testing.T, files map[string][]byte, name string) func(at int64) bool {
	number, ok := parseName(name, runPrefix)
	if !ok {
		return func(int64) bool { return true }
	}
	o := smallOptions(diskOf(t, files))
	o.ReadOnly = true
	s, err := Open(storeDir, o)
	must(t, err)
	defer s.Close()
	var blocks []block
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.file < inLimbo && s.slots.byID[b.slot].live > 0 &&
			s.files.all[b.file].number == uint32(number) {
			blocks = append(blocks, *b)
		}
	}
	return func(at int64) bool {
		return slices.ContainsFunc(blocks, func(b block) bool {
			return at < fileHeader || at >= b.off && at < b.off+int64(b.size)
		})
	}
}

// damageEach opens the store with each damage and surveys it.
func damageEach(t *testing.T, files map[string][]byte, m *model, seqs int, name string, needed bool,
	change func(b []byte) []byte) (opened, refused int) {
	t.Helper()
	for _, readOnly := range []bool{false, true} {
		broken := map[string][]byte{}
		for n, b := range files {
			broken[n] = b
		}
		if broken[name] = change(bytes.Clone(files[name])); broken[name] == nil {
			delete(broken, name)
		}
		o := smallOptions(diskOf(t, broken))
		o.ReadOnly = readOnly
		s, err := Open(storeDir, o)
		if err != nil {
			var damage *DamageError
			var format *FormatError
			if !errors.As(err, &damage) && !errors.As(err, &format) ||
				strings.HasPrefix(name, runPrefix) {
				t.Fatalf("%s: %v", name, err)
			}
			if damage != nil && damage.Path != s.pathOf(name) &&
				!strings.HasPrefix(name, logPrefix) && name != directory.FormatName {
				t.Fatalf("%s: damage in %s", name, damage.Path)
			}
			refused++
			continue
		}
		opened++
		found, err := s.Check()
		must(t, err)
		if needed && len(found)+len(s.Damage()) == 0 { // a rebuilt index file is whole
			t.Fatalf("%s: check found nothing", name)
		}
		if strings.HasPrefix(name, indexPrefix) {
			if err := compare(s, m, seqs); err != nil {
				t.Fatalf("%s, read only %v: made anew: %v", name, readOnly, err)
			}
		}
		if err := survey(s, m, seqs); err != nil {
			t.Fatalf("%s, read only %v: %v\ndamage %v", name, readOnly, err, s.Damage())
		}
		if !readOnly {
			must(t, s.Commit())
		}
		must(t, s.Close())
	}
	return opened, refused
}

func (s *Store) pathOf(name string) string { return vfs.Default.PathJoin(storeDir, name) }

// places returns the distance of damaged bytes: 1 in long tests, and ten times the usual one in
// short tests, which run under the race detector.
func places(usual int) int {
	switch {
	case long():
		return 1
	case testing.Short():
		return 10*usual + 1
	}
	return usual
}

// A flipped bit anywhere costs what it hit, and is named, or Open reports it. It never gives a
// wrong record.
func TestFlippedBitAnywhere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	for _, closed := range []bool{true, false} {
		files, m, seqs := aged(t, closed)
		step := places(29)
		for name, whole := range files {
			opened, refused := 0, 0
			needed := needed(t, files, name)
			for i := 0; i < len(whole); i += step {
				if strings.HasPrefix(name, logPrefix) && !closed && lastTransaction(t, whole) <= i {
					break // it looks like a torn write, and is cut
				}
				o, r := damageEach(t, files, m, seqs, name, needed(int64(i)),
					func(b []byte) []byte { b[i] ^= 1 << (i % 8); return b })
				opened, refused = opened+o, refused+r
			}
			t.Logf("closed %v, %s, %d bytes: opened %d, refused %d",
				closed, name, len(whole), opened, refused)
			if strings.HasPrefix(name, indexPrefix) && refused > 0 {
				t.Errorf("%s was not made anew %d times", name, refused)
			}
		}
	}
}

// lastTransaction returns the start of the last transaction in a log segment.
func lastTransaction(t *testing.T, b []byte) int {
	r := &logReader{file: vfs.NewMemFile(b), size: int64(len(b))}
	last, begin := uint64(0), 0
	for {
		f, err := r.next()
		if err != nil {
			return begin
		}
		if f.txn != last {
			last, begin = f.txn, int(f.offset)
		}
	}
}

// A file cut anywhere, or missing, is like damage of the missing part.
func TestCutFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	files, m, seqs := aged(t, true)
	for name, whole := range files {
		if name == directory.FormatName {
			continue
		}
		for n := 0; n <= len(whole); n += max(1, len(whole)/40) {
			if strings.HasPrefix(name, logPrefix) && n == len(whole) {
				continue
			}
			if strings.HasPrefix(name, logPrefix) { // the only one
				broken := diskOf(t, files)
				writeAll(t, broken, storeDir+"/"+name, whole[:n])
				if _, err := Open(storeDir, smallOptions(broken)); !isDamage(err) {
					t.Fatalf("%s cut to %d bytes: %v", name, n, err)
				}
				continue
			}
			damageEach(t, files, m, seqs, name, false, func(b []byte) []byte { return b[:n] })
		}
		damageEach(t, files, m, seqs, name, true, func([]byte) []byte { return nil })
	}
}

// A log cut at any byte of its last transactions is the log of an earlier commit.
func TestTornLogTailIsCut(t *testing.T) {
	mem := vfs.NewMem()
	o := smallOptions(mem)
	s, err := Open(storeDir, o)
	must(t, err)
	var ends []int
	var states []*model
	m := newModel()
	for i := range uint32(3) {
		must(t, s.Put(i, int64(i), []byte{1, 2, byte(i)}))
		m.put(i, int64(i), []byte{1, 2, byte(i)}, s.Horizon())
		must(t, s.Commit())
		ends = append(ends, int(s.log.size))
		states = append(states, m.clone())
	}
	files := contents(t, mem, storeDir)
	must(t, s.Close())
	name := vfs.Default.PathBase(s.segmentPath(1))
	whole := files[name]
	for cut := ends[0]; cut <= ends[2]; cut += places(1) {
		for _, tail := range []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00", "garbage"} {
			files[name] = append(whole[:cut:cut], tail...)
			fs := diskOf(t, files)
			want := states[0]
			for i, end := range ends {
				if bytes.HasPrefix(files[name], whole[:end]) { // the tail may be the cut part
					want = states[i]
				}
			}
			for range 2 { // the cut part stays cut
				o.FS = fs
				s, err := Open(storeDir, o)
				must(t, err)
				if err := compare(s, want, 3); err != nil {
					t.Fatalf("cut at %d of %v: %v", cut, ends, err)
				}
				checkClean(t, s)
				must(t, s.Close())
			}
		}
	}
}

// A frame of a kind that only a newer program knows is no torn tail: the log is refused and
// unchanged.
func TestUnknownKindOfFrame(t *testing.T) {
	mem := vfs.NewMem()
	o := smallOptions(mem)
	s, err := Open(storeDir, o)
	must(t, err)
	must(t, s.Put(1, 1, []byte("x")))
	must(t, s.Commit())
	name, txn := vfs.Default.PathBase(s.segmentPath(1)), s.log.txn
	files := contents(t, mem, storeDir)
	must(t, s.Close())
	frame := make([]byte, logHeader+3)
	copy(frame[logHeader:], "new")
	putLogHeader(frame, lastLogKind+1, txn, frame[logHeader:])
	files[name] = append(files[name], frame...)
	o.FS = diskOf(t, files)
	var format *FormatError
	if s, err := Open(storeDir, o); !errors.As(err, &format) || format.Found != lastLogKind+1 ||
		!strings.Contains(err.Error(), "was written by a newer version of recrawl") {
		t.Fatalf("a newer kind of frame: %v, %v", s != nil, err)
	}
	if after := contents(t, o.FS.(*vfs.MemFS), storeDir); !bytes.Equal(after[name], files[name]) {
		t.Errorf("the log of %d bytes has %d", len(files[name]), len(after[name]))
	}
}

func TestDamageErrorSaysWhere(t *testing.T) {
	err := fmt.Errorf("open: %w",
		&DamageError{Path: "d/run-7", Offset: 12, What: "block", Seqs: []uint32{1, 2}})
	if want := "open: d/run-7: damaged at byte 12: block, 2 records"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
