package fetch

import (
	"errors"
	"syscall"
)

// LocalError is a fault of this machine: no file descriptors, no resolver, no network. It tells nothing of the
// page or its server.
type LocalError struct{ Err error }

func (e *LocalError) Error() string { return e.Err.Error() }

func (e *LocalError) Unwrap() error { return e.Err }

// localErrors are those of the system for which no server can be blamed.
var localErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL, syscall.ENETDOWN,
}

// localFault wraps an error that is a fault of this machine in a LocalError; nil for any other. That a network is
// unreachable counts for IPv4 alone: many machines have no IPv6, and a server may have nothing else.
func localFault(err error, ipv4 bool) error {
	for _, local := range localErrors {
		if errors.Is(err, local) {
			return &LocalError{err}
		}
	}
	if ipv4 && errors.Is(err, syscall.ENETUNREACH) {
		return &LocalError{err}
	}
	return nil
}

func isLocal(err error) bool {
	var local *LocalError
	return errors.As(err, &local)
}
