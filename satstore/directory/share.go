package directory

import (
	"io"
	"sync"
)

// held has the locks of this process, by directory. The lock of a LOCK file belongs to the process,
// and closing the file anywhere ends it. So nobody may open a lock file while this process writes,
// and its readers share one.
var held = locks{byPath: map[string]*lock{}}

type locks struct {
	mu     sync.Mutex
	byPath map[string]*lock
}

type lock struct {
	path    string
	file    io.Closer
	holders int
	shared  bool
}

// acquire takes a lock, which make makes if no other holder shares it.
func (l *locks) acquire(path string, shared bool, make func() (io.Closer, error)) (
	io.Closer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.byPath[path]
	if of != nil && !(of.shared && shared) {
		return nil, ErrInUse
	}
	if of == nil {
		file, err := make()
		if err != nil {
			return nil, err
		}
		of = &lock{path: path, file: file, shared: shared}
		l.byPath[path] = of
	}
	of.holders++
	return holder{l, of}, nil
}

// holder is a holder of a lock.
type holder struct {
	of   *locks
	lock *lock
}

func (h holder) Close() error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.lock.holders--; h.lock.holders > 0 {
		return nil
	}
	delete(h.of.byPath, h.lock.path)
	return h.lock.file.Close()
}

// unlocked is the lock of a reader if there is nothing to lock.
type unlocked struct{}

func (unlocked) Close() error { return nil }
