//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package directory

import (
	"cmp"
	"errors"
	"io"
	"os"
	"syscall"
)

// lockPath locks an open directory or file, which need not be writable. The lock belongs to what
// was opened: it ends when that is closed, or with the process, and not when the process closes
// another handle of it. If there is nothing to open, or the file system has no such lock, nothing
// is locked.
func lockPath(path string, shared bool) (io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			err = nil
		}
		return unlocked{}, err
	}
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	switch err = flock(f, how); {
	case err == nil:
		return f, nil
	case !errors.Is(err, syscall.EWOULDBLOCK):
		return unlocked{}, f.Close()
	case !shared && flock(f, syscall.LOCK_SH) == nil:
		return nil, cmp.Or(f.Close(), ErrRead)
	}
	return nil, cmp.Or(f.Close(), ErrInUse)
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}
