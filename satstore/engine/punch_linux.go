package engine

import "syscall"

// punchHole releases a part of a file to the disk. The length of the file stays.
func punchHole(fd uintptr, off, size int64) bool {
	const keepSize, punch = 1, 2
	return syscall.Fallocate(int(fd), keepSize|punch, off, size) == nil
}
