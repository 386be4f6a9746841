package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/recrawl/recrawl/fetch/corpus/query"
)

// Searcher searches the set that was published last. Goroutines may share it.
type Searcher struct {
	dir   string
	turns chan struct{} // one for each running search

	changing sync.Mutex  // one goroutine at a time looks for another set
	file     os.FileInfo // search.json when it was last read
	checked  time.Time

	mu    sync.RWMutex
	view  *view
	pause time.Duration // longest change of sets
}

// mostSearches limits the concurrent searches; others wait. A search for a frequent word takes 60
// MB for each million pages.
const mostSearches = 8

// checkEvery is how often a search looks for another set.
const checkEvery = time.Second

// OpenSearcher opens the index of a corpus. An index without a set has no pages.
func OpenSearcher(corpus string) (*Searcher, error) {
	s := &Searcher{dir: IndexDir(corpus), turns: make(chan struct{}, mostSearches),
		view: &view{set: &Set{Number: -1}}}
	if _, err := os.Stat(filepath.Join(s.dir, searchName)); errors.Is(err, os.ErrNotExist) {
		return nil, &NoneError{corpus}
	}
	if err := s.Refresh(); err != nil {
		return nil, fmt.Errorf("open index %s: %w", s.dir, err)
	}
	return s, nil
}

// NoneError is returned for a directory without an index.
type NoneError struct{ Dir string }

func (e *NoneError) Error() string { return "there is no index in " + e.Dir }

// Hint returns what to do.
func (e *NoneError) Hint() string { return "recrawl corpus build makes one of an archive" }

// IndexDir returns the directory of the index of a corpus.
func IndexDir(corpus string) string { return filepath.Join(corpus, "index") }

// Refresh changes to the set that was published last. Running searches end in the previous set,
// which is then closed.
func (s *Searcher) Refresh() (err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.checked = time.Now()
	info, err := os.Stat(filepath.Join(s.dir, searchName))
	if errors.Is(err, os.ErrNotExist) || err == nil && sameFile(info, s.file) {
		return nil
	}
	if err != nil {
		return err
	}
	const tries = 3 // units may be removed while a set is opened
	for try := 1; ; try++ {
		if err = s.change(); err == nil {
			s.file = info
			return nil
		}
		if !errors.Is(err, os.ErrNotExist) || try == tries {
			return err
		}
	}
}

// sameFile reports whether a file is unchanged, and not another one of the same name.
func sameFile(now, before os.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime())
}

func (s *Searcher) change() error {
	set, err := ReadSet(s.dir)
	if err != nil {
		return err
	}
	open := map[int]*unit{}
	for _, u := range s.view.units {
		open[u.number] = u
	}
	next, err := openView(s.dir, set, open)
	if err != nil {
		return err
	}
	began := time.Now()
	s.mu.Lock()
	before := s.view
	s.view = next
	s.pause = max(s.pause, time.Since(began))
	s.mu.Unlock()
	before.users.Wait()
	for _, u := range next.units {
		if open[u.number] == u {
			delete(open, u.number)
		}
	}
	for _, u := range open {
		err = errors.Join(err, u.close())
	}
	return err
}

// Pause returns the longest delay of searches by a change of sets.
func (s *Searcher) Pause() time.Duration {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pause
}

// Search answers a query from one set.
func (s *Searcher) Search(ctx context.Context, q *query.Query) (*query.Results, error) {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.changing.TryLock() {
		due := time.Since(s.checked) >= checkEvery
		s.changing.Unlock()
		if due {
			if err := s.Refresh(); err != nil {
				return nil, err
			}
		}
	}
	s.mu.RLock()
	v := s.view
	v.users.Add(1)
	s.mu.RUnlock()
	defer v.users.Done()
	return v.search(ctx, q)
}

// Close closes the files. No search may be running.
func (s *Searcher) Close() (err error) {
	for _, u := range s.view.units {
		err = errors.Join(err, u.close())
	}
	s.view = &view{set: new(Set)}
	return err
}
