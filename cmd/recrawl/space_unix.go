//go:build linux || darwin

package main

import "syscall"

// freeBytes is what the file system of a directory has left for us; false: it does not tell.
func freeBytes(directory string) (bytes int64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(directory, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
