package replicate

import "slices"

// stretch is the part of a log by one writer: all that it wrote there up to a part.
type stretch struct {
	Writer uint64 `json:"writer"`
	Mark   uint64 `json:"mark"` // number of its first part
	To     uint64 `json:"to"`   // number of its last part
}

// history has the parts that a store holds, writer by writer. The number of a part is not enough: a
// log that lost its end gives the same numbers to later parts. But each node that continues a log
// uses a new writer number, so those parts have another writer.
type history []stretch

// mostStretches bounds a history. A stretch ends when a store is taken over. Older stretches are
// only in copies of the store.
const mostStretches = 64

// has reports whether a store holds a part.
func (h history) has(writer, number uint64) bool {
	return slices.ContainsFunc(h, func(s stretch) bool {
		return s.Writer == writer && s.Mark <= number && number <= s.To
	})
}

// end returns the last part; zero: there is none.
func (h history) end() (s stretch) {
	if len(h) > 0 {
		s = h[len(h)-1]
	}
	return s
}

// changed returns the history up to the last part that changed the store. It leaves out a mark at
// the end whose writer wrote nothing after it, since another copy of the store may not have that
// mark.
func (h history) changed() history {
	if end := h.end(); len(h) > 0 && end.Mark == end.To {
		return h[:len(h)-1]
	}
	return h
}

// add adds the next part. A writer with a mark alone is dropped once another one follows, since it
// changed nothing.
func (h history) add(writer, number uint64) history {
	h = slices.Clone(h)
	switch end := h.end(); {
	case end.Writer == writer && len(h) > 0:
		h[len(h)-1].To = number
		return h
	case end.Mark == end.To && len(h) > 0:
		h = h[:len(h)-1]
	}
	h = append(h, stretch{writer, number, number})
	return h[max(0, len(h)-mostStretches):]
}
