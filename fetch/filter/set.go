package filter

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// version of the verdicts of this package.
const version = 1

// Set holds the filters of a user. A nil Set has none.
type Set struct {
	filters     []named
	fingerprint uint64
	warn        func(error)

	mu     sync.Mutex
	warned map[string]time.Time // by filter, last warning about its failure
}

// Options are the settings of filters.
type Options struct {
	File      string   // YAML file of filters, see docs/reference/filters.md; "": none
	Languages []string // accepted, such as de or pt-BR; a filter before those of File
	// Warn gets failures of filters, perhaps concurrently; it may be nil.
	Warn func(error)
}

// Open returns the filters of the settings, or nil if there are none. The error is a Mistake unless
// a file cannot be read.
func Open(o Options) (*Set, error) {
	specs, err := read(o)
	if err != nil || len(specs) == 0 {
		return nil, err
	}
	s := &Set{warn: o.Warn, warned: map[string]time.Time{}}
	sum := sha256.New()
	fmt.Fprintln(sum, version)
	var wrong []error
	for i := range specs {
		n, err := specs[i].compile()
		if slices.ContainsFunc(s.filters, func(other named) bool { return other.name == n.name }) {
			err = &Mistake{fmt.Errorf("there are two filters %q", n.name)}
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		s.filters = append(s.filters, n)
		if err := json.NewEncoder(sum).Encode(specs[i]); err != nil {
			return nil, err
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	s.fingerprint = max(binary.BigEndian.Uint64(sum.Sum(nil)), 1)
	return s, nil
}

// Fingerprint returns the fingerprint of all settings, or 0 without filters.
func (s *Set) Fingerprint() uint64 {
	if s == nil {
		return 0
	}
	return s.fingerprint
}

// Filters lists the filters, in order.
func (s *Set) Filters() (list []Judgement) {
	for i := range s.filters {
		n := &s.filters[i]
		list = append(list, Judgement{Filter: n.name, Kind: n.kind})
	}
	return list
}

// Wants reports whether a filter of languages accepts one. ofLanguages is false for a filter of
// another kind.
func (s *Set) Wants(name, language string) (wants, ofLanguages bool) {
	for i := range s.filters {
		if wanted, ok := s.filters[i].Filter.(languages); ok && s.filters[i].name == name {
			return slices.Contains(wanted, language), true
		}
	}
	return false, false
}

// Close ends the commands of the filters.
func (s *Set) Close() (err error) {
	if s == nil {
		return nil
	}
	for i := range s.filters {
		if c, ok := s.filters[i].Filter.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}

// tellEvery is the least time between two warnings about a failing filter.
const tellEvery = time.Minute

// reportFailure warns that a filter failed.
func (s *Set) reportFailure(n *named, err error) {
	if s.warn == nil {
		return
	}
	s.mu.Lock()
	now := time.Now()
	last, told := s.warned[n.name]
	due := !told || now.Sub(last) >= tellEvery
	if due {
		s.warned[n.name] = now
	}
	s.mu.Unlock()
	if due {
		s.warn(fmt.Errorf("filter %s failed, and pages are kept that it might reject: %w",
			n.name, err))
	}
}
