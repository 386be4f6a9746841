package nodes

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
)

// memory is a KV in memory whose calls can fail on request.
type memory struct {
	mu      sync.Mutex
	entries map[string]Entry
	last    uint64
	broken  bool
}

var errMemory = errors.New("no answer")

func (m *memory) Get(_ context.Context, key string) (Entry, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return Entry{}, false, errMemory
	}
	e, ok := m.entries[key]
	return e, ok, nil
}

func (m *memory) Set(_ context.Context, key string, value []byte, revision uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return 0, errMemory
	}
	if m.entries == nil {
		m.entries = map[string]Entry{}
	}
	if m.entries[key].Revision != revision {
		return 0, ErrConflict
	}
	m.last++
	m.entries[key] = Entry{key, slices.Clone(value), m.last}
	return m.last, nil
}

func (m *memory) Remove(_ context.Context, key string, revision uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[key].Revision != revision {
		return ErrConflict
	}
	delete(m.entries, key)
	return nil
}

func (m *memory) List(_ context.Context, prefix string) (list []Entry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(m.entries)) {
		if strings.HasPrefix(k, prefix) {
			list = append(list, m.entries[k])
		}
	}
	return list, nil
}
