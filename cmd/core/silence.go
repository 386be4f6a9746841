package core

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
)

// silence is a file in a data directory that exists until a process sends its first request. If the
// process is killed earlier, for example during a long Crawl-delay, the next one need not begin its
// waits again. Goroutines may share it; nil keeps no silence.
type silence struct {
	path string

	mu   sync.Mutex
	over bool // this process has sent a request, or is about to
}

func silenceIn(data string) *silence { return &silence{path: filepath.Join(data, "silent")} }

// whole reports whether the last process sent no request.
func (s *silence) whole() bool {
	if s == nil {
		return false
	}
	_, err := os.Stat(s.path)
	return err == nil
}

// begin makes the file. Without it the next process only waits longer, so errors do not matter.
func (s *silence) begin() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		os.WriteFile(s.path, nil, 0o644)
	}
}

// end removes the file before the first request of the process.
func (s *silence) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil
	}
	err := os.Remove(s.path)
	if err == nil {
		err = directory.SyncPath(filepath.Dir(s.path))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("say that servers are asked: %w", err)
	}
	s.over = true
	return nil
}

// Silent reports whether the last process sent no request.
func (f liveFetcher) Silent() bool { return f.silence.whole() }

// Resume sets until when earlier processes may have asked servers, for pages or requisites. A
// silence begins, until the first request.
func (f liveFetcher) Resume(asked time.Time) {
	f.silence.begin()
	if beside := f.keeper.Asked(); beside.After(asked) {
		asked = beside
	}
	f.MeteredClient.Resume(asked)
	f.keeper.Start()
}
