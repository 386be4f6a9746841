package scratch

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve takes room on disk without writing. Not every file system can.
func reserve(f *os.File, at, size int64) error { return unix.Fallocate(int(f.Fd()), 0, at, size) }
