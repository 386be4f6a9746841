package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A copy takes no more disk space than the file, whose garbage was released.
func TestCopyKeepsHoles(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	f, err := os.Create(from)
	must(t, err)
	part := bytes.Repeat([]byte("part"), 4<<10)
	for _, at := range []int64{0, 4 << 20, 9 << 20} {
		_, err := f.WriteAt(part, at)
		must(t, err)
	}
	must(t, f.Truncate(16<<20))
	must(t, f.Close())
	taken := func(path string) int64 {
		var s syscall.Stat_t
		must(t, syscall.Stat(path, &s))
		return s.Blocks * 512
	}
	if taken(from) > 1<<20 {
		t.Skip("the file system has no holes")
	}
	counted := &countingFS{FS: vfs.Default}
	s := &Store{fs: vfs.Default, o: Options{CopyFS: counted}}
	must(t, s.copyFile(from, to))
	// observers of a copy's progress know only the sizes of files
	if counted.octets != 16<<20 {
		t.Errorf("%d octets are counted", counted.octets)
	}
	a, err := os.ReadFile(from)
	must(t, err)
	b, err := os.ReadFile(to)
	must(t, err)
	if !bytes.Equal(a, b) {
		t.Fatal("the copy is another file")
	}
	if got, want := taken(to), taken(from); got > want+64<<10 {
		t.Errorf("the copy takes %d bytes of the disk, the file %d", got, want)
	}
}

// countingFS counts the bytes written to its files, and the holes.
type countingFS struct {
	vfs.FS
	octets int64
}

func (fs *countingFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, category)
	return countedFile{f, fs}, err
}

type countedFile struct {
	vfs.File
	fs *countingFS
}

func (f countedFile) WriteAt(b []byte, at int64) (int, error) {
	f.fs.octets += int64(len(b))
	return f.File.WriteAt(b, at)
}

func (f countedFile) Skip(octets int64) error {
	f.fs.octets += octets
	return nil
}
