//go:build !race

package quarantine

import "syscall"

const limitsMemory = true

// limitMemory limits the private data of this process. Unlike RLIMIT_AS it does not count addresses
// that Go reserves without using them.
func limitMemory(octets uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: octets, Max: octets})
}
