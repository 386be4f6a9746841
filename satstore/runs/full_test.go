package runs

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// quotaFS is a disk with so many bytes left; what does not fit is cut off.
type quotaFS struct {
	vfs.FS
	left *atomic.Int64
}

type quotaFile struct {
	vfs.File
	left *atomic.Int64
}

func (f quotaFile) take(p []byte) ([]byte, error) {
	left := f.left.Add(-int64(len(p)))
	if left >= 0 {
		return p, nil
	}
	return p[:max(0, int64(len(p))+left)], syscall.ENOSPC
}

func (f quotaFile) Write(p []byte) (int, error) {
	part, full := f.take(p)
	n, err := f.File.Write(part)
	return n, errors.Join(err, full)
}

func (f quotaFile) WriteAt(p []byte, at int64) (int, error) {
	part, full := f.take(p)
	n, err := f.File.WriteAt(part, at)
	return n, errors.Join(err, full)
}

func (fs quotaFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	return quotaFile{f, fs.left}, nil
}

func (fs quotaFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, c, o...)
	if err != nil {
		return nil, err
	}
	return quotaFile{f, fs.left}, nil
}

// A disk that becomes full is told as ENOSPC and loses nothing acknowledged; with space
// freed the store goes on.
func TestFullDisk(t *testing.T) {
	rng := seeded(t)
	seed := rng.Uint64()
	step := int64(9000)
	if long() {
		step = 60
	}
	for quota := rng.Int64N(300); ; quota += step {
		mem := vfs.NewCrashableMem()
		var left atomic.Int64
		left.Store(quota)
		fs := quotaFS{mem, &left}
		d := &driver{rng: rand.New(rand.NewPCG(seed, 4))}
		err := run(d, smallOptions(fs), 150)
		if left.Load() >= 0 {
			must(t, err)
			return
		}
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: want ENOSPC, got %v", quota, err)
		}
		if wrong := (*mismatch)(nil); errors.As(err, &wrong) {
			t.Fatalf("%d bytes: %v", quota, err)
		}
		left.Store(1 << 40)
		if d.s, err = Open(storeDir, smallOptions(fs)); err != nil {
			t.Fatalf("%d bytes: reopen: %v", quota, err)
		}
		if err := compareEither(d.s, d); err != nil {
			t.Fatalf("%d bytes: %v", quota, err)
		}
		if err := compare(d.s, d.acked, d.seqs); err != nil {
			d.acked = d.pending
		}
		d.pending = d.acked.clone()
		for range 60 {
			if err := d.step(); err != nil {
				t.Fatalf("%d bytes: after space was freed: %v", quota, err)
			}
		}
		checkClean(t, d.s)
		must(t, d.s.Close())
	}
}
