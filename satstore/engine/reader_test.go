package engine

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Reading ahead stops cleanly at any failed read: the error is reported, no goroutine stays, and
// the reopened store has every record.
func TestReadAheadStops(t *testing.T) {
	const records = 5000
	before := runtime.NumGoroutine()
	for k := int64(1); ; k++ {
		mem := vfs.NewMem()
		var left atomic.Int64
		fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpFileReadAt && left.Add(-1) == 0 {
				return errorfs.ErrInjected
			}
			return nil
		}))
		s := mustOpen(t, storeDir, Options{FS: fs})
		body := []byte(strings.Repeat("x", 1000))
		for i := range uint32(records) {
			must(t, s.Put(i, 1, body))
		}
		must(t, s.Checkpoint())
		left.Store(k)
		n := 0
		err := s.Advance(1, func(r *Record) (int64, []byte) { n++; return 5, r.Body })
		failed := err != nil
		if failed != errors.Is(err, errorfs.ErrInjected) || failed == (n == records) {
			t.Fatalf("read %d: %d records, %v", k, n, err)
		}
		left.Store(-1)
		if err := s.Close(); failed != errors.Is(err, errorfs.ErrInjected) {
			t.Fatalf("read %d: close: %v", k, err)
		}
		s = mustOpen(t, storeDir, Options{FS: mem})
		if s.Len() != records {
			t.Fatalf("read %d: %d records after it", k, s.Len())
		}
		must(t, s.Close())
		if !failed {
			if k < 5 {
				t.Errorf("only %d reads", k)
			}
			break
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// Files are added and removed while others are read and closed for room, without a data race.
func TestFilesComeWhileOthersAreRead(t *testing.T) {
	mem := vfs.NewMem()
	table := files{fs: mem, dir: "d"}
	must(t, mem.MkdirAll("d", 0o755))
	var old []*runFile
	for number := range uint32(maxOpenFiles + 8) {
		f, err := mem.Create(table.path(number), vfs.WriteCategoryUnspecified)
		must(t, err)
		must(t, f.Close())
		old = append(old, &runFile{number: number})
		table.add(old[number])
	}
	read := make(chan error, 1)
	go func() {
		for range 5 {
			for _, f := range old { // more than may be open: each closes another
				if _, err := table.acquire(f); err != nil {
					read <- err
					return
				}
				table.release(f)
			}
		}
		read <- nil
	}()
	for number := range uint32(2000) {
		f := &runFile{number: 1000 + number}
		if table.add(f); number%3 == 0 {
			table.drop(f)
		}
	}
	must(t, <-read)
	if n := table.count(); n != len(old)+2000-667 {
		t.Errorf("%d files", n)
	}
	table.closeAll()
}
