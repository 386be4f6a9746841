package engine

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// readDirect fills aligned b with the beginning of a file, past the page cache. It returns false if
// the file system does not allow that.
func readDirect(path string, b []byte) (done bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECT, 0)
	if errors.Is(err, syscall.EINVAL) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	defer f.Close() // it was only read
	n, err := f.ReadAt(b, 0)
	switch {
	case n == len(b):
		return true, nil
	case errors.Is(err, syscall.EINVAL):
		return false, nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return true, err
}
