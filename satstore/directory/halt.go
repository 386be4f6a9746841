package directory

import (
	"fmt"
	"runtime"
	"sync"
)

// Switch keeps a process alive whose Pebble can no longer write. Pebble calls Fatalf of its logger
// if it cannot write its log or its manifest, and expects that to end the process. A Switch as its
// logger ends only the calling goroutine, and keeps the reason. It is on until the first failure.
// Many goroutines may use it.
type Switch struct {
	what string
	off  chan struct{}

	mu  sync.Mutex
	err error
}

// New returns a switch that is on. Failures begin with the interrupted work, such as "write
// queues".
func New(what string) *Switch { return &Switch{what: what, off: make(chan struct{})} }

// Off is closed by the first failure.
func (s *Switch) Off() <-chan struct{} { return s.off }

// Err returns the first failure, or the argument of End; nil: neither.
func (s *Switch) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Fail switches off for good, and returns the first failure.
func (s *Switch) Fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = fmt.Errorf("%s: %w", s.what, err)
		close(s.off)
	}
	return s.err
}

// End sets the error of Err if nothing has failed, for example after Close.
func (s *Switch) End(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// Guard does work in its own goroutine, which Pebble may end. It returns the error of the work, or
// the failure. A call after a failure does nothing.
func (s *Switch) Guard(work func() error) error {
	if err := s.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			switch fault := recover().(type) {
			case nil:
			case runtime.Error:
				panic(fault)
			case error: // Pebble panics if it cannot write its log
				_ = s.Fail(fault)
			default:
				panic(fault)
			}
		}()
		done <- work()
	}()
	select {
	case err := <-done:
		return err
	case <-s.off:
		return s.Err()
	}
}

// Infof is part of Pebble's logger.
func (s *Switch) Infof(string, ...any) {}

// Errorf is part of Pebble's logger.
func (s *Switch) Errorf(string, ...any) {}

// Fatalf is part of Pebble's logger. It switches off and ends the calling goroutine.
func (s *Switch) Fatalf(format string, args ...any) {
	fault := failure{text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if cause, ok := a.(error); ok {
			fault.cause = cause
		}
	}
	_ = s.Fail(fault)
	runtime.Goexit()
}

// failure is Pebble's message, with the error that it names.
type failure struct {
	text  string
	cause error // nil: it names none
}

func (f failure) Error() string { return f.text }
func (f failure) Unwrap() error { return f.cause }
