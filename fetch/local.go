package fetch

import (
	"errors"
	"slices"
	"syscall"
)

// LocalError is a fault of this machine: no file descriptors, no resolver, no network. It tells
// nothing of the page or its server.
type LocalError struct {
	Err error
	// Unsure: a fault of the network, which may be this machine's or lie on the way to the server.
	// What Try and Visit return beside it is an observation of the server's failure, if that is
	// what it is taken for.
	Unsure bool
}

func (e *LocalError) Error() string { return e.Err.Error() }

func (e *LocalError) Unwrap() error { return e.Err }

// localErrors are those of the system for which no server can be blamed; unsureErrors may be a
// server's: it may have an address of IPv6 alone where this machine has none, or nobody on the way
// may know where it is.
var (
	localErrors  = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}
	unsureErrors = []error{syscall.EADDRNOTAVAIL, syscall.ENETDOWN, syscall.ENETUNREACH}
)

// localFault wraps an error that is, or may be, a fault of this machine in a LocalError; nil for
// any other.
func localFault(err error) error {
	if local := (*LocalError)(nil); errors.As(err, &local) {
		return local
	}
	is := func(of error) bool { return errors.Is(err, of) }
	switch {
	case slices.ContainsFunc(localErrors, is):
		return &LocalError{Err: err}
	case slices.ContainsFunc(unsureErrors, is):
		return &LocalError{Err: err, Unsure: true}
	}
	return nil
}

func isLocal(err error) bool {
	var local *LocalError
	return errors.As(err, &local)
}
