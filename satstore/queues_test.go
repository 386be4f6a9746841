package satstore_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
)

func set(t *testing.T, s *satstore.Queues, key, value string) {
	t.Helper()
	wait, err := s.Change(func(set func(key, value []byte), remove func(key []byte)) {
		set([]byte(key), []byte(value))
	})
	if err == nil {
		err = wait()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// All three ways of reading return what is stored, and none returns what was removed.
func TestReads(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	s, err := satstore.OpenQueues("a/b", disk)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		set(t, s, fmt.Sprint("x", i), fmt.Sprint(i))
	}
	set(t, s, "y", "other")
	wait, err := s.Change(func(set func(key, value []byte), remove func(key []byte)) {
		remove([]byte("x2"))
	})
	if err := errors.Join(err, wait(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get([]byte("x1"), nil); !errors.Is(err, satstore.ErrQueuesClosed) {
		t.Errorf("closed: %v", err)
	}
	if s, err = satstore.OpenQueues("a/b", disk); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := satstore.OpenQueues("a/b", disk); !errors.Is(err, directory.ErrInUse) {
		t.Errorf("a second process: %v", err)
	}
	var scanned, all []string
	err = s.Scan('x', func(key, value []byte) error {
		scanned = append(scanned, string(key)+string(value))
		return nil
	})
	if got := strings.Join(scanned, " "); err != nil || got != "x00 x11 x33 x44" {
		t.Errorf("scan: %q, %v", got, err)
	}
	want := []string{"x1", "x2", "x4", "z"}
	err = s.GetAll(len(want), func(i int) []byte {
		return []byte(want[i])
	}, func(i int, value []byte) {
		all = append(all, want[i]+string(value))
	})
	if got := strings.Join(all, " "); err != nil || got != "x11 x44" {
		t.Errorf("get all: %q, %v", got, err)
	}
	if ok, err := s.Get([]byte("x2"), nil); ok || err != nil {
		t.Errorf("removed: %v, %v", ok, err)
	}
}

// Directories of other programs, or of another version, are left alone.
func TestForeignDirectories(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	if err := directory.Make(disk, "other"); err != nil {
		t.Fatal(err)
	}
	if err := directory.Write(disk, "other", "thesis.txt", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := satstore.OpenQueues("other", disk); err == nil ||
		!strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("%v", err)
	}
	if err := directory.Make(disk, "newer"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		string(directory.Sealed([]byte("recrawl queues 9\n"))): "written by a newer version",
		"recrawl queues 9\n": "damaged",
		string(directory.Sealed([]byte("recrawl corpus 1\n"))): "something else",
	} {
		if err := directory.WriteFormat(disk, "newer", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := satstore.OpenQueues("newer", disk); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// When the disk is full, the store says so and acknowledges nothing more. All that it acknowledged
// is there afterwards.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	var full atomic.Bool
	errFull := errors.New("no space left on device")
	s, err := satstore.OpenQueues("dir", errorfs.Wrap(disk,
		errorfs.InjectorFunc(func(op errorfs.Op) error {
			if full.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite &&
				op.Kind != errorfs.OpFileClose {
				return errFull
			}
			return nil
		})))
	if err != nil {
		t.Fatal(err)
	}
	set(t, s, "x1", "kept")
	copied := vfs.NewMem()
	full.Store(true)
	acknowledged := make(chan error, 1)
	go func() { // it may never return
		wait, err := s.Change(func(set func(key, value []byte), remove func(key []byte)) {
			set([]byte("x2"), []byte("lost"))
		})
		if err == nil {
			err = wait()
		}
		acknowledged <- err
	}()
	select {
	case <-s.Failed():
	case <-time.After(time.Minute):
		t.Fatal("it does not say that the disk is full")
	}
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
	select {
	case err := <-acknowledged:
		if err == nil {
			t.Error("it acknowledged what the disk did not take")
		}
	default:
	}
	if ok, err := vfs.Clone(disk, copied, "dir", "dir"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	again, err := satstore.OpenQueues("dir", copied)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if ok, err := again.Get([]byte("x1"), func(v []byte) {}); !ok || err != nil {
		t.Errorf("what was acknowledged: %v, %v", ok, err)
	}
}
