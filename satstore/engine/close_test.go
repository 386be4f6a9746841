package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Close reports background writes that failed, even if no call followed them.
func TestCloseTellsOfAPendingIndexFile(t *testing.T) {
	bad := errors.New("bad disk")
	for _, op := range []errorfs.OpKind{errorfs.OpFileWrite, errorfs.OpFileSyncData} {
		failing := false
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(o errorfs.Op) error {
			if failing && o.Kind == op && filepath.Base(o.Path) == "index-000002" {
				return bad
			}
			return nil
		}))
		o := smallOptions(fs)
		o.LogBytes = 1
		s := mustOpen(t, storeDir, o)
		must(t, s.Put(1, 1, []byte("one")))
		failing = true
		must(t, s.Commit()) // begins a checkpoint without waiting for it
		if s.pending == nil {
			t.Fatal("no checkpoint is pending")
		}
		must(t, s.Put(2, 1, []byte("two"))) // so that Close makes no checkpoint
		if err := s.Close(); !errors.Is(err, bad) {
			t.Errorf("Close after a failed index file: %v", err)
		}
		failing = false
		s = mustOpen(t, storeDir, smallOptions(fs))
		if s.Len() != 1 {
			t.Errorf("%d records, want the one committed", s.Len())
		}
		must(t, s.Close())
	}
}

type badSink struct{ err error }

func (b badSink) Write([]byte) (int, error) { return 0, b.err }
func (b badSink) SyncData() error           { return b.err }
func (b badSink) Close() error              { return nil }

// A chunk that could not be written is reported once, to the first caller.
func TestCloseWriterTellsOfAFailedChunk(t *testing.T) {
	bad := errors.New("bad disk")
	for _, asked := range []bool{false, true} {
		s := &Store{}
		w := &runWriter{f: &runFile{}, buf: make([]byte, 10, 20), sink: badSink{bad}}
		w.behind = startBehind(w.sink, make([]byte, 0, 20))
		must(t, w.flush())
		if asked {
			if err := w.wait(); !errors.Is(err, bad) {
				t.Fatal(err)
			}
		}
		if err := s.closeWriter(w); errors.Is(err, bad) == asked {
			t.Errorf("told before %v: %v", asked, err)
		}
	}
}

// punch makes holes in existing files, and creates none.
func TestPunchMakesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run-00000001")
	if n := punch(path, extent{off: 0, size: 1 << 20}); n != 0 {
		t.Errorf("%d bytes of a hole in no file", n)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}
