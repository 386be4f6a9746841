package fetch

import (
	"errors"
	"slices"
	"syscall"
)

// LocalError is a fault of this machine, for example no file descriptors, no resolver or no
// network. It does not speak about the page or its server.
type LocalError struct {
	Err error
	// Unsure marks a fault of the network, on this machine or on the way to the server. Try and
	// Visit then also return an observation that blames the server.
	Unsure bool
}

func (e *LocalError) Error() string { return e.Err.Error() }

func (e *LocalError) Unwrap() error { return e.Err }

// localErrors are errors of the system that no server can cause. unsureErrors may be a server's: it
// has IPv6 alone and this machine does not, or no router on the way knows it.
var (
	localErrors  = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}
	unsureErrors = []error{syscall.EADDRNOTAVAIL, syscall.ENETDOWN, syscall.ENETUNREACH}
)

// localFault wraps an error that is, or may be, a fault of this machine in a LocalError. For any
// other it returns nil.
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
