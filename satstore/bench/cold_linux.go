package bench

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// syncFiles writes out all that is dirty in the file system of a directory. That may
// include what others have written there.
func syncFiles(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// dropCache makes the kernel forget the contents of the files below a directory, which must
// be synced and not mapped. What it knows of the files themselves stays: with ten thousand
// files looking that up would be most of the work, and is no property of a store.
func dropCache(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreGone(err)
		}
		f, err := os.Open(path)
		if err != nil {
			return ignoreGone(err)
		}
		return errors.Join(unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
	})
}

// openDirect opens a file past the page cache if the file system can.
func openDirect(path string, flag int) (f *os.File, direct bool, err error) {
	f, err = os.OpenFile(path, flag|unix.O_DIRECT, 0o600)
	if errors.Is(err, unix.EINVAL) {
		f, err = os.OpenFile(path, flag, 0o600)
		return f, false, err
	}
	return f, true, err
}

// alignedBuffer returns memory as reads and writes past the page cache need it.
func alignedBuffer(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

func releaseBuffer(b []byte) { _ = unix.Munmap(b) }
