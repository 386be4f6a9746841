//go:build !race

package quarantine

import "syscall"

const limitsMemory = true

// limitMemory bounds the private data of this process. Addresses that Go sets aside without
// using them do not count, unlike with RLIMIT_AS.
func limitMemory(octets uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: octets, Max: octets})
}
