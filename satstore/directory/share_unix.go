//go:build unix

package directory

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// share locks a lock file that can only be read, together with other readers; held: who writes has
// it. A file that is not there locks nobody out.
func share(fs vfs.FS, path string) (lock io.Closer, held bool) {
	if fs != vfs.Default {
		return unlocked{}, false
	}
	f, err := os.Open(path)
	if err != nil {
		return unlocked{}, false
	}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_RDLCK})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		f.Close()
		return nil, true
	}
	return f, false
}
