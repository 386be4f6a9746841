package engine

import "syscall"

// punchHole gives a part of a file back to the disk; the length of the file stays.
func punchHole(fd uintptr, off, size int64) bool {
	const keepSize, punch = 1, 2
	return syscall.Fallocate(int(fd), keepSize|punch, off, size) == nil
}
