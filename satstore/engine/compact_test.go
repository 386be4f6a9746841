package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A store of many times MaxFiles files of the least length continues with longer ones. No commit
// writes much more than its input, and there are not too many files.
func TestMoreThanAllFilesHold(t *testing.T) {
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	const (
		records = 10_000
		length  = 850
		each    = 100 // records a commit
	)
	fs := vfs.NewMem()
	o := Options{FS: fs, MaxFiles: 60, BufferBytes: 256 << 10, PartBytes: 16 << 10,
		LogBytes: 256 << 10}
	s := mustOpen(t, "d", o)
	s.roll = 64 << 10
	body := make([]byte, length)
	commit := func(what string, i int) {
		t.Helper()
		before := s.Stats().RunBytesWritten
		must(t, s.Commit())
		st := s.Stats()
		if wrote, most := st.RunBytesWritten-before, 2*s.fileBytes()+4*each*length; wrote > most {
			t.Fatalf("%s %d: a commit writes %d bytes with %d live ones, want at most %d",
				what, i, wrote, st.LiveBytes, most)
		}
		names, err := fs.List("d")
		must(t, err)
		if len(names) > o.MaxFiles+5 {
			t.Fatalf("%s %d: %d files, want at most %d", what, i, len(names), o.MaxFiles+5)
		}
	}
	for i := range uint32(records) {
		must(t, s.Put(i, int64(1+i%9000), body))
		if i%each == each-1 {
			commit("record", int(i))
		}
	}
	if live, had := s.Stats().LiveBytes, int64(o.MaxFiles)*s.roll; live < 2*had {
		t.Fatalf("%d live bytes are no more than %d files of %d bytes hold",
			live, o.MaxFiles, s.roll)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		for range each {
			must(t, s.Put(rng.Uint32N(records), s.Clock()+1+rng.Int64N(9000), body))
		}
		must(t, s.Advance(s.Clock()+1, func(r *Record) (int64, []byte) {
			return r.Due + 500, r.Body
		}))
		commit("unit", i)
	}
	given, wrote := s.Stats().GivenBytes, s.Stats().RunBytesWritten
	if wrote > 8*given {
		t.Errorf("%d bytes written for %d given", wrote, given)
	}
	t.Logf("%d bytes live, %d given, %d written, files of %d",
		s.Stats().LiveBytes, given, wrote, s.fileBytes())
	if s.Len() != records {
		t.Errorf("%d records, want %d", s.Len(), records)
	}
	checkClean(t, s)
	must(t, s.Close())
}

// On disks without holes, garbage in the file being written is also released, whether the file has
// nothing else or records that stay.
func TestGarbageOfTheFileBeingWritten(t *testing.T) {
	for _, stay := range []uint32{0, 2000} {
		o := Options{FS: vfs.NewMem(), PartBytes: 1, GarbageBytes: 256 << 10}
		s := mustOpen(t, "d", o)
		body := make([]byte, 200)
		for i := range stay { // in their own files
			must(t, s.Put(i, 300*24, body))
		}
		must(t, s.Commit())
		must(t, s.endRun(classFar))
		most := int64(0)
		for range 60 { // one unit: files do not end by age
			for i := range uint32(200) {
				must(t, s.Put(stay+i, 5, body))
			}
			must(t, s.Commit())
			st := s.Stats()
			most = max(most, st.GarbageBytes-max(o.GarbageBytes, st.LiveBytes))
		}
		if most > 100<<10 { // of one commit and a half
			t.Errorf("%d records beside: %d bytes of garbage too much", stay, most)
		}
		if st, once := s.Stats(), int64(stay)*300; stay > 0 &&
			st.RunBytesWritten-st.GivenBytes*2 > once {
			t.Errorf("%d bytes written for %d given: files without garbage were written anew",
				st.RunBytesWritten, st.GivenBytes)
		}
		checkClean(t, s)
		must(t, s.Close())
	}
}
