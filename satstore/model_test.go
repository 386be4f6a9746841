package satstore

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// model is what a store should hold, kept naively.
type model struct {
	clock    int64 // in days since day0
	records  []sitegraph.Record
	unit     []int64 // bucket of each record
	links    map[sitegraph.PageID][2][]sitegraph.PageID
	start    map[sitegraph.PageID]bool
	settings map[string]string
}

func newModel() *model {
	return &model{links: map[sitegraph.PageID][2][]sitegraph.PageID{}, start: map[sitegraph.PageID]bool{},
		settings: map[string]string{}}
}

func (m *model) clone() *model {
	c := *m
	c.records, c.unit = slices.Clone(m.records), slices.Clone(m.unit)
	c.links, c.start, c.settings = maps.Clone(m.links), maps.Clone(m.start), maps.Clone(m.settings)
	return &c
}

const modelUnits = 12

func (m *model) put(r sitegraph.Record) {
	day := int64(r.Due.Sub(day0) / (24 * time.Hour)) // due times of the tests are not before day0
	u := min(max(day, m.clock+1), m.clock+modelUnits)
	if int(r.Page) == len(m.records) {
		m.records, m.unit = append(m.records, r), append(m.unit, u)
	} else {
		m.records[r.Page], m.unit[r.Page] = r, u
	}
}

// driver performs random operations on a store and its model alike.
type driver struct {
	s       *Store
	rng     *rand.Rand
	acked   *model // the last commit that returned nil
	pending *model // with what came after
	longGap bool
}

func (d *driver) randomRecord(p sitegraph.PageID) sitegraph.Record {
	g := d.rng
	r := sitegraph.Record{Page: p, URL: modelURL(p), State: sitegraph.State(g.IntN(6)), Status: g.IntN(600),
		Due:    day0.Add(time.Duration(d.pending.clock*24+g.Int64N(20*24)) * time.Hour),
		Tried:  day0.Add(time.Duration(g.Int64N(1e15))),
		Reason: strings.Repeat("r", g.IntN(40))}
	if g.IntN(8) == 0 {
		r.ETag = strings.Repeat("e", g.IntN(1500)) // some longer than the whole buffer
	}
	r.History.Visits = g.Uint32()
	return r
}

func modelURL(p sitegraph.PageID) string { return fmt.Sprintf("http://h%d.example/d/%d", p%3, p) }

func (d *driver) randomPages() []sitegraph.PageID {
	list := make([]sitegraph.PageID, d.rng.IntN(6))
	for i := range list {
		list[i] = sitegraph.PageID(d.rng.IntN(len(d.pending.records)))
	}
	return list
}

// step performs one random operation. An error leaves acked and pending as the two states
// of which the disk holds one.
func (d *driver) step() error {
	n := len(d.pending.records)
	k := d.rng.IntN(100)
	switch {
	case n == 0 || k < 12:
		r := d.randomRecord(sitegraph.PageID(n))
		if err := d.s.Add(&r); err != nil {
			return err
		}
		d.pending.put(r)
	case k < 60:
		r := d.randomRecord(sitegraph.PageID(d.rng.IntN(n)))
		if err := d.s.Save(&r); err != nil {
			return err
		}
		d.pending.put(r)
	case k < 68:
		p, links, frames := sitegraph.PageID(d.rng.IntN(n)), d.randomPages(), d.randomPages()
		if err := d.s.SaveLinks(p, links, frames); err != nil {
			return err
		}
		d.pending.links[p] = [2][]sitegraph.PageID{links, frames}
	case k < 71:
		p := sitegraph.PageID(d.rng.IntN(n))
		if err := d.s.SaveStart(p); err != nil {
			return err
		}
		d.pending.start[p] = true
	case k < 75:
		name, value := fmt.Sprint("name", d.rng.IntN(4)), fmt.Sprint(d.rng.Uint64())
		if err := d.s.SaveSetting(name, []byte(value)); err != nil {
			return err
		}
		d.pending.settings[name] = value
	case k < 90:
		return d.commit()
	case k < 95:
		return d.advance()
	default:
		return d.load()
	}
	return nil
}

func (d *driver) commit() error {
	if err := d.s.Commit(); err != nil {
		return err
	}
	d.acked = d.pending.clone()
	return nil
}

func (d *driver) load() error {
	p := sitegraph.PageID(d.rng.IntN(len(d.pending.records)))
	var r sitegraph.Record
	if err := d.s.Load(p, &r); err != nil {
		return err
	}
	if r != d.pending.records[p] {
		return &mismatch{fmt.Sprintf("page %d: loaded %+v, want %+v", p, r, d.pending.records[p])}
	}
	return nil
}

func (d *driver) advance() error {
	days := 1 + d.rng.Int64N(3)
	if d.longGap && d.rng.IntN(5) == 0 && d.pending.clock < 50000 { // a time.Duration ends at 106751 days
		days = 1 + d.rng.Int64N(1000)
	}
	target := d.pending.clock + days
	want := map[sitegraph.PageID]bool{}
	for p, u := range d.pending.unit {
		if u <= target {
			want[sitegraph.PageID(p)] = true
		}
	}
	d.pending.clock = target
	last := int64(0)
	var wrong error
	err := d.s.Advance(at(int(target)).Add(5*time.Hour), func(r *sitegraph.Record) {
		u := d.pending.unit[r.Page]
		if !want[r.Page] || *r != d.pending.records[r.Page] || u < last {
			wrong = &mismatch{fmt.Sprintf("advance to %d handed out %+v of unit %d after %d, want %+v", target, *r, u, last, d.pending.records[r.Page])}
		}
		delete(want, r.Page)
		last = u
		r.Due = at(int(target) + 1 + d.rng.IntN(15))
		r.Reason = "again"
		d.pending.put(*r)
	})
	if err == nil && len(want) > 0 {
		wrong = &mismatch{fmt.Sprintf("advance to %d left out pages %v", target, want)}
	}
	return errors.Join(err, wrong)
}

// mismatch is a wrong answer, as opposed to an error of the store.
type mismatch struct{ text string }

func (m *mismatch) Error() string { return m.text }

// compare says how a store differs from a model.
func compare(s *Store, m *model) error {
	if s.Pages() != len(m.records) {
		return &mismatch{fmt.Sprintf("%d pages, want %d", s.Pages(), len(m.records))}
	}
	if want := at(int(m.clock)); !s.Clock().Equal(want) {
		return &mismatch{fmt.Sprintf("clock %v, want %v", s.Clock(), want)}
	}
	g := sitegraph.NewGraph()
	got := make([]int, s.Pages())
	var wrong error
	err := s.Restore(g, func(r *sitegraph.Record) {
		got[r.Page]++
		if *r != m.records[r.Page] {
			wrong = &mismatch{fmt.Sprintf("restored %+v, want %+v", *r, m.records[r.Page])}
		}
	})
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	base := s.unitOf(day0)
	for p := range m.records {
		id := sitegraph.PageID(p)
		links := m.links[id]
		if got[p] != 1 || g.URL(id) != modelURL(id) || !slices.Equal(g.Links(id), links[0]) || !slices.Equal(g.Frames(id), links[1]) ||
			slices.Contains(g.StartPages(g.Server(id)), id) != m.start[id] {
			return &mismatch{fmt.Sprintf("page %d restored %d times as %s, links %v %v, want %v", p, got[p], g.URL(id), g.Links(id), g.Frames(id), links)}
		}
		if u := s.slots[s.index[p].slot()].unit - base; u != m.unit[p] {
			return &mismatch{fmt.Sprintf("page %d in bucket %d, want %d", p, u, m.unit[p])}
		}
	}
	for i := range 4 {
		name := fmt.Sprint("name", i)
		v, ok, err := s.Setting(name)
		want, there := m.settings[name]
		if err != nil || ok != there || string(v) != want {
			return &mismatch{fmt.Sprintf("setting %s is %q %v %v, want %q", name, v, ok, err, want)}
		}
	}
	if s.arena.peak > s.arena.limit {
		return &mismatch{fmt.Sprintf("%d buffer pages of %d", s.arena.peak, s.arena.limit)}
	}
	return nil
}

// compareEither accepts the last commit or the one that was being made.
func compareEither(s *Store, d *driver) error {
	err := compare(s, d.acked)
	if err == nil {
		return nil
	}
	if e := compare(s, d.pending); e != nil {
		return fmt.Errorf("neither the last commit: %w, nor the one begun: %w", err, e)
	}
	return nil
}
