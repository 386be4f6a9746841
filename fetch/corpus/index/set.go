package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Set names units and their states.
type Set struct {
	Number int    `json:"number"` // unique number of the set
	Units  []Unit `json:"units"`
}

// Unit is a unit of a set.
type Unit struct {
	Number  int `json:"number"`
	State   int `json:"state"` // number of the set for which its state was written
	Pages   int `json:"pages"`
	Deleted int `json:"deleted"`
}

// Living returns the number of pages in a set.
func (s *Set) Living() (n int) {
	for _, u := range s.Units {
		n += u.Pages - u.Deleted
	}
	return n
}

const searchName = "search.json"

// ReadSet reads the searched set. If there is none yet, it returns one without units, with the
// number -1.
func ReadSet(index string) (*Set, error) {
	path := filepath.Join(index, searchName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &Set{Number: -1}, nil
	}
	if err != nil {
		return nil, err
	}
	var s Set
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &s, nil
}

// Publish makes a set the searched one. All its files must exist and be durable.
func Publish(index string, s *Set) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := directory.Write(vfs.Default, index, searchName, append(text, '\n')); err != nil {
		return fmt.Errorf("publish set %d: %w", s.Number, err)
	}
	return nil
}

// Sweep removes the files that none of the sets names.
func Sweep(index string, sets ...*Set) error {
	keep := map[string]bool{}
	for _, s := range sets {
		for _, u := range s.Units {
			dir := unitPath(index, u.Number)
			keep[dir] = true
			keep[filepath.Join(dir, stateName(u.State))] = true
		}
	}
	dirs, err := filepath.Glob(filepath.Join(index, unitsDir, "*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if !keep[dir] {
			// Removed pages must not come back after a crash.
			if err := errors.Join(os.RemoveAll(dir),
				directory.Sync(vfs.Default, filepath.Dir(dir))); err != nil {
				return err
			}
			continue
		}
		states, err := filepath.Glob(filepath.Join(dir, "state-*"))
		if err != nil {
			return err
		}
		for _, path := range states {
			if !keep[path] {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Change changes the state of a unit for the next set.
type Change struct {
	index string
	unit  Unit
	pages pages
	state state
	dirty bool
}

// Edit reads the state of a unit.
func Edit(index string, u Unit) (*Change, error) {
	c := &Change{index: index, unit: u}
	dir := unitPath(index, u.Number)
	if err := readGob(filepath.Join(dir, pagesName), &c.pages); err != nil {
		return nil, err
	}
	return c, readGob(filepath.Join(dir, stateName(u.State)), &c.state)
}

// IDs returns the identifiers by place.
func (c *Change) IDs() []uint64 { return c.pages.IDs }

// Delete deletes the page at a place.
func (c *Change) Delete(place uint32) {
	if !c.state.deleted(place) {
		c.state.Deleted[place/64] |= 1 << (place % 64)
		c.unit.Deleted++
		c.dirty = true
	}
}

// Deleted reports whether the page at a place is deleted.
func (c *Change) Deleted(place uint32) bool { return c.state.deleted(place) }

// Date sets when the content of the page at a place was first and last seen, in unix seconds.
func (c *Change) Date(place uint32, changed, verified int64) {
	if c.state.Changed[place] != changed || c.state.Verified[place] != verified {
		c.state.Changed[place], c.state.Verified[place] = changed, verified
		c.dirty = true
	}
}

// Save writes a changed state for a set, and returns the unit of that set.
func (c *Change) Save(set int) (Unit, error) {
	if !c.dirty {
		return c.unit, nil
	}
	c.unit.State, c.dirty = set, false
	if err := writeGob(unitPath(c.index, c.unit.Number), stateName(set), &c.state); err != nil {
		return Unit{}, fmt.Errorf("write the state of unit %d: %w", c.unit.Number, err)
	}
	return c.unit, nil
}
