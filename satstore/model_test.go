package satstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// model is a naive copy of what a store should hold.
type model struct {
	clock    int64 // in units since day0
	records  []sitegraph.Record
	unit     []int64 // unit in which each record is kept, or removed
	messages map[sitegraph.PageID]string
	links    map[sitegraph.PageID][2][]sitegraph.PageID
	start    map[sitegraph.PageID]bool
	settings map[string]string
}

func newModel() *model {
	return &model{links: map[sitegraph.PageID][2][]sitegraph.PageID{},
		start:    map[sitegraph.PageID]bool{},
		settings: map[string]string{}, messages: map[sitegraph.PageID]string{}}
}

func (m *model) clone() *model {
	c := *m
	c.records, c.unit = slices.Clone(m.records), slices.Clone(m.unit)
	c.links, c.start, c.settings = maps.Clone(m.links), maps.Clone(m.start), maps.Clone(m.settings)
	c.messages = maps.Clone(m.messages)
	return &c
}

const modelUnits = 12

// removed is the unit of a page without a record.
const removed = -1

func (d *driver) put(r sitegraph.Record) {
	m := d.pending
	// No due time of the tests is before day0.
	u := min(max(int64(r.Due.Sub(day0)/d.unit), m.clock+1), m.clock+d.units)
	if int(r.Page) == len(m.records) {
		m.records, m.unit = append(m.records, r), append(m.unit, u)
	} else {
		m.records[r.Page], m.unit[r.Page] = r, u
	}
}

// view returns a record as a reader gets it: with its waiting messages.
func (m *model) view(p sitegraph.PageID) sitegraph.Record {
	r := m.records[p]
	r.Reason += m.messages[p]
	return r
}

// appendMessages is the Options.Apply of the tests: its result shows the order and number of
// messages.
func appendMessages(r *sitegraph.Record, messages [][]byte) {
	for _, m := range messages {
		r.Reason += string(m)
	}
	r.Page = 1 << 30 // the store must ignore it
}

// driver performs the same random operations on a store and its model.
type driver struct {
	s       *Store
	rng     *rand.Rand
	acked   *model // after the last commit that returned nil
	pending *model // acked with later operations
	longGap bool
	unit    time.Duration
	units   int64 // T
	o       Options
	copies  int
	ops     int
	promise atomic.Pointer[promise] // for other goroutines, which make crashes
}

// promise is two states. A disk that stops now holds one of them.
type promise struct{ acked, pending *model }

// newDriver returns a driver of stores with these options. Only the file system changes.
func newDriver(rng *rand.Rand, o Options) *driver {
	unit := o.Unit
	if unit == 0 {
		unit = defaultUnit
	}
	return &driver{rng: rng, acked: newModel(), pending: newModel(), o: o, unit: unit,
		units: int64(horizonOf(unit, levelsFor(unit, o.Horizon)) / unit)}
}

func (d *driver) at(unit int64) time.Time { return day0.Add(time.Duration(unit) * d.unit) }

// randomDue returns a due time, which is mostly within T.
func (d *driver) randomDue() time.Time {
	n := d.units + d.units/2 + 2
	if d.rng.IntN(2) == 0 {
		n = 4
	}
	return d.at(d.pending.clock + d.rng.Int64N(n)).Add(time.Duration(d.rng.Int64N(int64(d.unit))))
}

func (d *driver) randomRecord(p sitegraph.PageID) sitegraph.Record {
	g := d.rng
	r := sitegraph.Record{Page: p, URL: modelURL(p), State: sitegraph.State(g.IntN(6)),
		Status: g.IntN(600),
		Due:    d.randomDue(),
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

// step performs one random operation. After an error, the disk holds acked or pending.
func (d *driver) step() error {
	d.ops++
	n := len(d.pending.records)
	k := d.rng.IntN(100)
	switch {
	case n == 0 || k < 12:
		r := d.randomRecord(sitegraph.PageID(n))
		if err := d.s.Add(&r); err != nil {
			return err
		}
		d.put(r)
	case k < 40:
		r := d.randomRecord(sitegraph.PageID(d.rng.IntN(n)))
		if err := d.s.Save(&r); err != nil { // not loaded: its messages wait
			return err
		}
		d.put(r)
	case k < 46:
		return d.visit()
	case k < 52:
		return d.message()
	case k < 55:
		p := sitegraph.PageID(d.rng.IntN(n))
		if err := d.s.Remove(p); err != nil {
			return err
		}
		d.pending.unit[p] = removed
		delete(d.pending.messages, p)
	case k < 58:
		return d.reschedule()
	case k < 60:
		return d.due()
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
	d.promise.Store(&promise{d.acked.clone(), d.pending.clone()})
	if err := d.s.Commit(); err != nil {
		return err
	}
	d.acked = d.pending.clone()
	d.promise.Store(&promise{d.acked.clone(), d.acked.clone()})
	return nil
}

func (d *driver) load() error {
	p := sitegraph.PageID(d.rng.IntN(len(d.pending.records)))
	_, err := d.loadOf(p)
	return err
}

// loadOf loads a page and compares it. It returns nil if the page is removed.
func (d *driver) loadOf(p sitegraph.PageID) (*sitegraph.Record, error) {
	defer clear(d.s.applied) // as if a reader that does not save had loaded it
	var r sitegraph.Record
	err := d.s.Load(p, &r)
	if d.pending.unit[p] == removed {
		if !errors.Is(err, ErrRemoved) {
			return nil, &mismatch{fmt.Sprintf("page %d was removed, and loaded: %v", p, err)}
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if r != d.pending.view(p) {
		return nil, &mismatch{fmt.Sprintf("page %d: loaded %+v, want %+v", p, r, d.pending.view(p))}
	}
	return &r, nil
}

// visit loads a record and saves it. Sometimes messages arrive in between.
func (d *driver) visit() error {
	p := sitegraph.PageID(d.rng.IntN(len(d.pending.records)))
	r := new(sitegraph.Record)
	err := d.s.Load(p, r)
	if d.pending.unit[p] == removed && errors.Is(err, ErrRemoved) {
		return nil
	}
	if err != nil {
		return err
	}
	if *r != d.pending.view(p) {
		return &mismatch{fmt.Sprintf("page %d: loaded %+v, want %+v", p, *r, d.pending.view(p))}
	}
	if len(r.Reason) > 200 {
		r.Reason = ""
	}
	delete(d.pending.messages, p)
	if d.rng.IntN(3) == 0 {
		if err := d.messageTo(p); err != nil {
			return err
		}
	}
	if d.rng.IntN(4) == 0 {
		r.Due = d.randomDue()
	}
	if err := d.s.Save(r); err != nil {
		return err
	}
	d.put(*r)
	return nil
}

func (d *driver) message() error {
	return d.messageTo(sitegraph.PageID(d.rng.IntN(len(d.pending.records))))
}

func (d *driver) messageTo(p sitegraph.PageID) error {
	text := fmt.Sprintf("<%d>", d.rng.IntN(1000))
	err := d.s.Message(p, []byte(text))
	if d.pending.unit[p] == removed && errors.Is(err, ErrRemoved) {
		return nil
	}
	if err == nil {
		d.pending.messages[p] += text
	}
	return err
}

func (d *driver) reschedule() error {
	pages := d.randomPages()
	todo := map[sitegraph.PageID]bool{}
	for _, p := range pages {
		todo[p] = d.pending.unit[p] != removed
	}
	var wrong error
	err := d.s.Reschedule(pages, func(r *sitegraph.Record) {
		if !todo[r.Page] || *r != d.pending.records[r.Page] {
			wrong = &mismatch{fmt.Sprintf("reschedule %v: %+v, want %+v", todo[r.Page], *r,
				d.pending.records[r.Page])}
		}
		todo[r.Page] = false
		if d.rng.IntN(4) > 0 {
			r.Due = d.randomDue()
		}
		d.put(*r)
	})
	for p, left := range todo {
		if left && err == nil && wrong == nil {
			wrong = &mismatch{fmt.Sprintf("reschedule left out %d", p)}
		}
	}
	return errors.Join(err, wrong)
}

// due asks for the records that are due, for one span after another.
func (d *driver) due() error {
	var wrong error
	for after := d.pending.clock + d.rng.Int64N(4); ; {
		seen := map[sitegraph.PageID]bool{}
		end, err := d.s.Due(d.at(after+1), func(r *sitegraph.Record, messages [][]byte) {
			if u := d.pending.unit[r.Page]; seen[r.Page] || u <= after ||
				*r != d.pending.view(r.Page) ||
				string(bytes.Join(messages, nil)) != d.pending.messages[r.Page] {
				wrong = &mismatch{fmt.Sprintf("due after %d: %+v %q in %d, want %+v", after, *r,
					messages, u, d.pending.view(r.Page))}
			}
			seen[r.Page] = true
		})
		if err != nil || wrong != nil {
			return errors.Join(err, wrong)
		}
		through := int64(end.Sub(day0)/d.unit) - 1
		for p, u := range d.pending.unit {
			if u > after && seen[sitegraph.PageID(p)] != (u <= through) ||
				u > after && through == after {
				return &mismatch{fmt.Sprintf("due after %d through %d: page %d of %d: %v", after,
					through, p, u, seen[sitegraph.PageID(p)])}
			}
		}
		if through == after || d.rng.IntN(3) == 0 {
			return nil
		}
		after = through
	}
}

func (d *driver) advance() error {
	units := 1 + d.rng.Int64N(3)
	// A time.Duration ends at 106,751 days.
	if d.longGap && d.rng.IntN(5) == 0 && d.pending.clock < 50000 {
		units = 1 + d.rng.Int64N(1000)
	}
	target := d.pending.clock + units
	want := map[sitegraph.PageID]bool{}
	for p, u := range d.pending.unit {
		if u != removed && u <= target {
			want[sitegraph.PageID(p)] = true
		}
	}
	d.pending.clock = target
	last := int64(0)
	var wrong error
	err := d.s.Advance(d.at(target).Add(d.unit/5), func(r *sitegraph.Record) {
		u := d.pending.unit[r.Page]
		if !want[r.Page] || *r != d.pending.view(r.Page) || u < last {
			wrong = &mismatch{fmt.Sprintf("advance to %d handed out %+v of unit %d after %d, "+
				"want %+v", target, *r, u, last, d.pending.view(r.Page))}
		}
		delete(want, r.Page)
		delete(d.pending.messages, r.Page)
		last = u
		r.Due = d.at(target + 1 + d.rng.Int64N(d.units+3))
		r.Reason = "again"
		d.put(*r)
	})
	if err == nil && len(want) > 0 {
		wrong = &mismatch{fmt.Sprintf("advance to %d left out pages %v", target, want)}
	}
	return errors.Join(err, wrong)
}

// mismatch is a wrong answer of the store. Other errors are its own.
type mismatch struct{ text string }

func (m *mismatch) Error() string { return m.text }

// compare returns the first difference of a store from a model.
func (d *driver) compare(s *Store, m *model) error {
	if s.Pages() != len(m.records) {
		return &mismatch{fmt.Sprintf("%d pages, want %d", s.Pages(), len(m.records))}
	}
	if want := d.at(m.clock); !s.Clock().Equal(want) {
		return &mismatch{fmt.Sprintf("clock %v, want %v", s.Clock(), want)}
	}
	g := sitegraph.NewGraph()
	got := make([]int, s.Pages())
	var wrong error
	err := s.Restore(g, func(r *sitegraph.Record) {
		got[r.Page]++
		if *r != m.view(r.Page) {
			wrong = &mismatch{fmt.Sprintf("restored %+v, want %+v", *r, m.view(r.Page))}
		}
	})
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	base := s.unitOf(day0)
	for p := range m.records {
		id := sitegraph.PageID(p)
		links := m.links[id]
		there := 1
		if m.unit[p] == removed {
			there = 0
		}
		if got[p] != there || g.URL(id) != modelURL(id) || !slices.Equal(g.Links(id), links[0]) ||
			!slices.Equal(g.Frames(id), links[1]) ||
			slices.Contains(g.StartPages(g.Server(id)), id) != m.start[id] {
			return &mismatch{fmt.Sprintf("page %d restored %d times as %s, links %v %v, want %v",
				p, got[p], g.URL(id), g.Links(id), g.Frames(id), links)}
		}
		_, due, ok, err := s.runs.Load(uint32(p), nil)
		if err != nil {
			return err
		}
		if ok != (there == 1) || ok && due-base != m.unit[p] {
			return &mismatch{fmt.Sprintf("page %d in unit %d %v, want %d",
				p, due-base, ok, m.unit[p])}
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
	return comparePending(s, m)
}

// comparePending compares the histogram and the store's own check with a model.
func comparePending(s *Store, m *model) error {
	records := 0
	for _, u := range m.unit {
		if u != removed {
			records++
		}
	}
	pending, err := s.Pending()
	if err != nil {
		return err
	}
	sum := 0
	for _, due := range pending {
		sum += due.Records
		if due.Bytes <= 0 || !due.Start.Add(due.Width).After(s.Clock()) {
			return &mismatch{fmt.Sprintf("at %v still %+v", s.Clock(), due)}
		}
	}
	report, err := s.Check(context.Background(), nil, nil)
	if err != nil {
		return err
	}
	if sum != records || report.Records != records || report.Pages != len(m.unit) ||
		len(report.Damage) > 0 || len(s.Damage()) > 0 ||
		report.Removed != len(m.unit)-records || report.Starts != len(m.start) ||
		report.Linked != len(m.links) {
		return &mismatch{fmt.Sprintf("%d records pending, check %+v, want %d of %d; damage %v",
			sum, report, records, len(m.unit), s.Damage())}
	}
	return nil
}

// compareEither accepts the last commit or the commit in progress.
func (d *driver) compareEither(s *Store) error {
	err := d.compare(s, d.acked)
	if err == nil {
		return nil
	}
	if e := d.compare(s, d.pending); e != nil {
		return fmt.Errorf("neither the last commit: %w, nor the one begun: %w", err, e)
	}
	return nil
}

// A small part makes Restore hand out the records of few pages in parts, too.
func init() { partPages = 5 }
