//go:build unix

package core

import "golang.org/x/sys/unix"

// descriptorLimit returns how many files this process may have open.
func descriptorLimit() (uint64, bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}
