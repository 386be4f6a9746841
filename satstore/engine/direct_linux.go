package engine

import (
	"os"
	"syscall"
)

// directFile writes past the page cache: whole multiples of runAlign, from aligned memory.
type directFile struct{ *os.File }

// createDirect returns nil if the file system does not allow direct writes.
func createDirect(path string) runSink {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_DIRECT, 0o666)
	if err != nil {
		return nil
	}
	return directFile{f}
}

func (f directFile) SyncData() error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
