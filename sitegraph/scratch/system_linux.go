package scratch

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// reserve takes room on disk without writing. Not every file system can.
func reserve(f *os.File, at, size int64) error { return unix.Fallocate(int(f.Fd()), 0, at, size) }

// shownBytes are those of files that are in the memory of the process.
func shownBytes() int64 {
	content, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(content)
	if err != nil || len(fields) < 3 {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return n * int64(pageSize)
}

// nameless makes a file without a name, which link can give it. Not every file system can.
func nameless(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), dir+"/scratch"), nil
}

// link gives a file a name, beside those that it has.
func link(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
