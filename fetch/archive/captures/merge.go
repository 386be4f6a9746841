package captures

import (
	"encoding/binary"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// mark is the time of the first and last imported capture, in unix seconds; zero: none.
type mark struct{ first, last uint32 }

func markSetting(p sitegraph.PageID) string { return fmt.Sprintf("past/%08x", uint32(p)) }

func (m mark) bytes() []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, m.first), m.last)
}

func parseMark(b []byte) (m mark, err error) {
	if len(b) != 8 {
		return m, fmt.Errorf("the mark of an import has %d octets, not 8", len(b))
	}
	return mark{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}, nil
}

// over extends a mark to these captures.
func (m mark) over(all []Capture) mark {
	if len(all) == 0 {
		return m
	}
	first, last := all[0].Time, all[len(all)-1].Time
	if m == (mark{}) {
		return mark{first, last}
	}
	return mark{min(m.first, first), max(m.last, last)}
}

// merge applies resolved captures, by time, to the record of a page. It returns the new mark, and
// the evidence. Without visits in it the record is unchanged.
func merge(r *sitegraph.Record, m mark, all []Capture, by sitegraph.ChangeBy) (
	mark, Told) {
	switch {
	case len(all) == 0 || r.State == sitegraph.StateExcluded || r.State == sitegraph.StateSource:
		return m, Told{}
	case r.History.Visits == 0:
		return begin(r, m, all, by)
	}
	own := m == (mark{}) || sitegraph.Unix32(r.Tried) > m.last
	from, to := r.History.Epoch, sitegraph.Unix32(r.Tried)
	if m != (mark{}) {
		from, to = m.first, max(to, m.last)
	}
	n := 0
	for n < len(all) && all[n].Time < from {
		n++
	}
	before, after := all[:n], all[n:]
	for len(after) > 0 && after[0].Time <= to {
		after = after[1:]
	}
	told := precede(r, before, by)
	if told.Visits > 0 {
		m = m.over(before)
	}
	if own {
		after = comparable(r, after, by)
	}
	later := Apply(r, after, by)
	if later.Visits > 0 && !own { // captures after own visits need no mark: Tried is enough
		m = m.over(after)
	}
	told.Add(later)
	return m, told
}

// begin gives a history to a page without one.
func begin(r *sitegraph.Record, m mark, all []Capture, by sitegraph.ChangeBy) (
	mark, Told) {
	if r.State != sitegraph.StateNew && r.State != sitegraph.StateUnknown {
		return m, Told{} // an own visit found that it left
	}
	past := sitegraph.Record{Page: r.Page, URL: r.URL}
	told := Apply(&past, all, by)
	if past.State != sitegraph.StateAlive {
		return m, Told{}
	}
	r.State, r.Status, r.Digests, r.Size, r.NoIndex, r.History = past.State, past.Status,
		past.Digests, past.Size, past.NoIndex, past.History
	if past.Tried.After(r.Tried) {
		r.Tried = past.Tried
	}
	return m.over(all), told
}

// precede puts captures before all that is known of a page.
func precede(r *sitegraph.Record, before []Capture, by sitegraph.ChangeBy) Told {
	past := sitegraph.Record{Page: r.Page, URL: r.URL}
	told := Apply(&past, before, by)
	if past.State != sitegraph.StateAlive || r.State != sitegraph.StateAlive ||
		past.History.Last >= r.History.Epoch {
		return Told{}
	}
	between := sitegraph.Incomparable
	if r.History.Changes == 0 { // the copy is the first content
		between = past.Digests.Compare(r.Digests, by)
	}
	r.History.Precede(past.History, between)
	return told
}

// comparable returns the captures in a row that continue a copy.
func comparable(r *sitegraph.Record, after []Capture,
	by sitegraph.ChangeBy) []Capture {
	if r.State != sitegraph.StateAlive {
		return nil
	}
	held := r.Digests
	for i := range after {
		c := &after[i]
		switch c.Kind {
		case KindUnchanged:
			continue
		case KindFetched:
			if held.Compare(c.Copy(), by) != sitegraph.Incomparable {
				held = c.Copy()
				continue
			}
		}
		return after[:i]
	}
	return after
}
