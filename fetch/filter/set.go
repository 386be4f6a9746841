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

// version is that of what filters of this package say.
const version = 1

// Set are the filters of a user. The nil one has none.
type Set struct {
	filters     []named
	fingerprint uint64
	warn        func(error)

	mu     sync.Mutex
	warned map[string]time.Time // by filter, when it was told last that it failed
}

// Options are the settings of filters.
type Options struct {
	File      string   // of filters in YAML, see docs/reference/filters.md; "": there is none
	Languages []string // that are wanted, as de or pt-BR; a filter before those of the file
	// Warn is told that a filter failed; nil: nobody is. Calls may come at the same time.
	Warn func(error)
}

// Open makes the filters that the settings name; nil if they name none. The error is a Mistake
// unless a file could not be read.
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

// Fingerprint is that of the settings of all filters; 0 for no filter.
func (s *Set) Fingerprint() uint64 {
	if s == nil {
		return 0
	}
	return s.fingerprint
}

// Filters say what there is, in order.
func (s *Set) Filters() (list []Judgement) {
	for i := range s.filters {
		n := &s.filters[i]
		list = append(list, Judgement{Filter: n.name, Kind: n.kind})
	}
	return list
}

// Wants reports whether a filter of languages wants one; false: the filter is of another kind.
func (s *Set) Wants(name, language string) (wants, ofLanguages bool) {
	for i := range s.filters {
		if wanted, ok := s.filters[i].Filter.(languages); ok && s.filters[i].name == name {
			return slices.Contains(wanted, language), true
		}
	}
	return false, false
}

// Close ends what the filters began.
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

// tellEvery is how often it is told that a filter fails.
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
