package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// badDisk fails reads of a range of bytes in files whose names have a prefix, a given number of
// times.
type badDisk struct {
	vfs.FS
	prefix   string
	from, to int64
	cause    error
	times    *atomic.Int64
}

type badFile struct {
	vfs.File
	disk *badDisk
	path string
}

func (d *badDisk) Open(path string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.Open(path, o...)
	if err != nil || !strings.HasPrefix(d.PathBase(path), d.prefix) {
		return f, err
	}
	return &badFile{f, d, path}, nil
}

func (f *badFile) ReadAt(b []byte, at int64) (int, error) {
	if at < f.disk.to && at+int64(len(b)) > f.disk.from && f.disk.times.Add(-1) >= 0 {
		n := 0
		if at < f.disk.from { // like a disk, it returns the bytes before
			n, _ = f.File.ReadAt(b[:f.disk.from-at], at)
		}
		return n, &fs.PathError{Op: "read", Path: f.path, Err: f.disk.cause}
	}
	return f.File.ReadAt(b, at)
}

// Read begins at byte 0.
func (f *badFile) Read(b []byte) (int, error) {
	if f.disk.from == 0 && f.disk.times.Add(-1) >= 0 {
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: f.disk.cause}
	}
	return f.File.Read(b)
}

const forEver = 1 << 40

// refusing returns a disk with these files, where some bytes of run files cannot be read.
func refusing(t testing.TB, files map[string][]byte, prefix string, from, to int64, times int64,
	cause error) *badDisk {
	d := &badDisk{FS: diskOf(t, files), prefix: prefix, from: from, to: to, cause: cause,
		times: new(atomic.Int64)}
	d.times.Store(times)
	return d
}

// manyBlocks returns the files of a store with a run file of many blocks, all due in unit 5, the
// number of records, and the records with bytes in a sector.
func manyBlocks(t testing.TB, sector int64) (files map[string][]byte, records int, hit []uint32) {
	mem := vfs.NewMem()
	s := mustOpen(t, storeDir, Options{FS: mem, Levels: HoursAndDays})
	records = 3000
	for i := range uint32(records) {
		must(t, s.Put(i, 5, fmt.Appendf(nil, "record %d with some %s more bytes",
			i, strings.Repeat("x", int(i%200)))))
	}
	must(t, s.Checkpoint())
	if s.files.count() != 1 {
		t.Fatalf("%d run files, want one", s.files.count())
	}
	files = contents(t, mem, storeDir)
	var run []byte
	for name, b := range files {
		if strings.HasPrefix(name, runPrefix) {
			run = b
		}
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		end := b.off + int64(b.size)
		if b.file >= inLimbo || b.off >= sector+runAlign || end <= sector {
			continue
		}
		var f frame
		sums := end - int64(b.count)*sumBytes
		for w := framesOf(run[b.off+blockHeader:sums], kindRecords); w.next(&f); {
			at := b.off + blockHeader + int64(w.at)
			sum := sums + int64(w.ord)*sumBytes
			if at < sector+runAlign && at+int64(w.end-w.at) > sector || sum < sector+runAlign &&
				sum+sumBytes > sector {
				hit = append(hit, f.seq)
			}
		}
	}
	must(t, s.Close())
	slices.Sort(hit)
	if len(files) == 0 || len(hit) == 0 || len(hit) > 200 {
		t.Fatalf("%d records in the sector", len(hit))
	}
	return files, records, hit
}

// lostIn returns the records that damages name, in order.
func lostIn(list []*DamageError) (seqs []uint32) {
	for _, d := range list {
		seqs = append(seqs, d.Seqs...)
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}

// Unreadable bytes cost the records there: Check names them and continues, the other records are
// handed out, and after that the store is whole.
func TestUnreadableSectorCostsItsRecords(t *testing.T) {
	for _, sector := range []int64{4096, 20 * 4096, 60 * 4096} {
		files, records, hit := manyBlocks(t, sector)
		disk := refusing(t, files, runPrefix+"00000001", sector, sector+runAlign, forEver,
			syscall.EIO)
		s := mustOpen(t, storeDir, Options{FS: disk})
		found, err := s.Check()
		must(t, err)
		if got := lostIn(found); !slices.Equal(got, hit) {
			t.Fatalf("sector at %d: check names %d records, want %d: %v",
				sector, len(got), len(hit), found)
		}
		for _, d := range found {
			if !errors.Is(d, syscall.EIO) || !strings.Contains(d.Path, runPrefix) {
				t.Errorf("sector at %d: check says %v", sector, d)
			}
		}
		for seq := range uint32(records) {
			_, _, ok, err := s.Load(seq, nil)
			if lost := slices.Contains(hit, seq); ok == lost || isDamage(err) != lost {
				t.Fatalf("sector at %d: load %d: %v, %v", sector, seq, ok, err)
			}
		}
		got := 0
		must(t, s.Advance(5, func(r *Record) (int64, []byte) { got++; return 9, r.Body }))
		if got != records-len(hit) || s.Has(hit[0]) {
			t.Errorf("sector at %d: %d of %d records are handed out, want all but %d",
				sector, got, records, len(hit))
		}
		must(t, s.Commit())
		must(t, s.Close())
		s = mustOpen(t, storeDir, Options{FS: disk})
		checkClean(t, s)
		if s.Len() != got {
			t.Errorf("sector at %d: %d records afterwards, want %d", sector, s.Len(), got)
		}
		must(t, s.Close())
	}
}

// The index is rebuilt around unreadable bytes.
func TestUnreadableSectorWithoutIndex(t *testing.T) {
	files, records, hit := manyBlocks(t, 20*4096)
	for name := range files {
		if strings.HasPrefix(name, indexPrefix) {
			delete(files, name)
		}
	}
	s := mustOpen(t, storeDir,
		Options{FS: refusing(t, files, runPrefix, 20*4096, 21*4096, forEver, syscall.EIO)})
	if s.Len() != records-len(hit) || s.Has(hit[0]) {
		t.Errorf("%d of %d records, want all but %d", s.Len(), records, len(hit))
	}
	must(t, s.Close())
}

// A read that fails once, a disk that fails completely, and errors that do not concern bytes cost
// no records. The last two end the call, and a store opened later has all.
func TestPassingReadErrorsCostNothing(t *testing.T) {
	files, records, _ := manyBlocks(t, 20*4096)
	for name, c := range map[string]struct {
		from, times int64
		cause       error
		passes      bool
	}{
		"once":       {20 * 4096, 2, syscall.EIO, true}, // of the chunk, and of the block
		"whole disk": {0, forEver, syscall.EIO, false},
		"rights":     {20 * 4096, forEver, syscall.EACCES, false},
		"closed":     {20 * 4096, forEver, fs.ErrClosed, false},
	} {
		to := c.from + runAlign
		if c.from == 0 {
			to = forEver
		}
		disk := refusing(t, files, runPrefix, c.from, to, c.times, c.cause)
		s := mustOpen(t, storeDir, Options{FS: disk, Lost: func(seqs []uint32) {
			t.Errorf("%s: %d records are lost", name, len(seqs))
		}})
		got := 0
		err := s.Advance(5, func(r *Record) (int64, []byte) { got++; return 9, r.Body })
		if c.passes {
			must(t, err)
			if got != records || len(s.Damage()) > 0 {
				t.Errorf("%s: %d of %d records, damage %v", name, got, records, s.Damage())
			}
			must(t, s.Commit())
		} else if !errors.Is(err, c.cause) || isDamage(err) {
			t.Errorf("%s: %v", name, err)
		}
		_ = s.Close() // it may report that again
		disk.times.Store(0)
		s = mustOpen(t, storeDir, Options{FS: disk})
		checkClean(t, s)
		if s.Len() != records {
			t.Errorf("%s: %d records afterwards, want %d", name, s.Len(), records)
		}
		must(t, s.Close())
	}
}

// Check names the unreadable bytes of every file, and also other damage.
func TestCheckGoesOnBehindReadErrors(t *testing.T) {
	files, _, hit := manyBlocks(t, 20*4096)
	disk := refusing(t, files, "", 0, forEver, 0, syscall.EIO)
	s := mustOpen(t, storeDir, Options{FS: disk})
	for _, c := range []struct {
		prefix   string
		from, to int64
		what     string
	}{
		{runPrefix, 0, runAlign, "header of run file"},
		{logPrefix, 0, 10, "log frame"},
		{indexPrefix, 0, 10, "index chunk"},
		{"FORMAT", 0, 10, "version file"},
		{runPrefix, 20 * 4096, 21 * 4096, "block"},
	} {
		disk.prefix, disk.from, disk.to = c.prefix, c.from, c.to
		disk.times.Store(forEver)
		found, err := s.Check()
		disk.times.Store(0)
		must(t, err)
		if len(found) == 0 || found[0].What != c.what || !errors.Is(found[0], syscall.EIO) {
			t.Errorf("%s from %d: %v", c.prefix, c.from, found)
		}
	}
	if !s.Has(hit[0]) {
		t.Error("Check deleted a record")
	}
	// It reads nothing else.
	disk.prefix, disk.from, disk.to = runPrefix, 0, forEver
	disk.times.Store(forEver)
	found, err := s.Check()
	must(t, err)
	if len(found) < 10 || len(lostIn(found)) != s.Len() {
		t.Errorf("%d damages of %d records, want all %d", len(found), len(lostIn(found)), s.Len())
	}
	must(t, s.Close())
}

// Cached bytes show nothing about the disk.
func TestProbeReadsTheHeader(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{})
	must(t, s.Put(1, 5, []byte("one")))
	must(t, s.Checkpoint())
	f := s.files.all[0]
	must(t, s.files.probe(f))
	b := alignedChunk(runAlign)[:runAlign]
	if done, err := readDirect(s.files.path(f.number), b); done &&
		(err != nil || string(b) != string(runHeader(f, s.id))) {
		t.Errorf("read directly: %v, %x", err, b[:fileHeader])
	}
	must(t, vfs.Default.Remove(s.files.path(f.number)))
	if done, err := readDirect(s.files.path(f.number), b); done && !gone(err) {
		t.Errorf("a file that is gone: %v", err)
	}
	must(t, s.Close())
}
