//go:build unix

package directory

import (
	"errors"
	"io"
	"os"
	"syscall"
)

const canShare = true

// lockFile locks a lock file together with other readers. nil, nil: there is no file, and none can
// be made.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrPermission) {
		f, err = os.Open(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return unlocked{}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_RDLCK})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		f.Close()
		return nil, ErrInUse
	}
	return f, nil // without locks, as on some network disks, nobody is locked out
}
