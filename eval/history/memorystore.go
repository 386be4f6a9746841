package history

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// MemoryStore keeps records in memory.
type MemoryStore struct {
	records  []sitegraph.Record
	settings map[string][]byte
}

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore { return &MemoryStore{settings: map[string][]byte{}} }

// Clone returns a store with the same content that shares no changing data.
func (s *MemoryStore) Clone() *MemoryStore {
	return &MemoryStore{records: slices.Clone(s.records), settings: maps.Clone(s.settings)}
}

// Records returns the records by page. Callers must not change them.
func (s *MemoryStore) Records() []sitegraph.Record { return s.records }

// Add registers a new page.
func (s *MemoryStore) Add(r *sitegraph.Record) error {
	if int(r.Page) != len(s.records) {
		return fmt.Errorf("page %d added as number %d", r.Page, len(s.records))
	}
	s.records = append(s.records, *r)
	return nil
}

// Load reads the record of a page.
func (s *MemoryStore) Load(p sitegraph.PageID, r *sitegraph.Record) error {
	if int(p) >= len(s.records) {
		return fmt.Errorf("page %d of %d is not known", p, len(s.records))
	}
	*r = s.records[p]
	return nil
}

// Save replaces the record of a page.
func (s *MemoryStore) Save(r *sitegraph.Record) error {
	s.records[r.Page] = *r
	return nil
}

// SaveLinks does nothing: the graph holds the links.
func (s *MemoryStore) SaveLinks(sitegraph.PageID, []sitegraph.PageID, []sitegraph.PageID) error {
	return nil
}

// SaveStart does nothing.
func (s *MemoryStore) SaveStart(sitegraph.PageID) error { return nil }

// Commit does nothing.
func (s *MemoryStore) Commit() error { return nil }

// Advance does nothing.
func (s *MemoryStore) Advance(time.Time, func(*sitegraph.Record)) error { return nil }

// SaveSetting keeps a value.
func (s *MemoryStore) SaveSetting(name string, value []byte) error {
	s.settings[name] = value
	return nil
}

// Setting returns a kept value.
func (s *MemoryStore) Setting(name string) ([]byte, bool, error) {
	value, ok := s.settings[name]
	return value, ok, nil
}
