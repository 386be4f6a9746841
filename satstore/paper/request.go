package paper

import (
	"errors"
)

// Request is a change of a record between its visits: a message that waits in the bucket
// of the record [SAT 3.5].
type Request struct {
	ID      ID
	Delete  bool // the record is dropped instead of visited
	Payload []byte
}

// ErrNoIndex is the answer of SAT/Basic to requests.
var ErrNoIndex = errors.New("SAT/Basic has no index: it takes no requests")

// heldMessage waits until its record is written back.
type heldMessage struct {
	kind byte
	body []byte
}

// Request sends messages and returns how many of them were for records that do not exist.
// Looking them up is cheapest in the order of their ids. Messages for one record arrive in
// the order in which they were sent.
func (s *Store) Request(requests ...Request) (unknown int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.ids == nil {
		return 0, ErrNoIndex
	}
	s.wanted = s.wanted[:0]
	for i := range requests {
		if len(requests[i].Payload) > maxBody-idBytes {
			return 0, errors.New("payload of a request is too long")
		}
		s.wanted = append(s.wanted, requests[i].ID)
	}
	err = s.ids.findAll(s.wanted, func(i int, seq uint32, ok bool) error {
		if !ok || s.index.due(seq) == none {
			unknown++
			return nil
		}
		return s.send(seq, &requests[i])
	})
	return unknown, s.fail(err)
}

// send appends a message to the bucket where the record is. If that is the bucket being
// read, the message waits for the record to be written back, and follows it.
func (s *Store) send(seq uint32, r *Request) error {
	kind := byte(kindMessage)
	if r.Delete {
		kind = kindDelete
	}
	s.message = append(append(s.message[:0], r.ID[:]...), r.Payload...)
	due := s.index.due(seq)
	if due > s.reading {
		return s.putLogged(kind, seq, due, s.message)
	}
	if s.held == nil {
		s.held = map[uint32][]heldMessage{}
	}
	s.held[seq] = append(s.held[seq], heldMessage{kind, append([]byte(nil), s.message...)})
	return nil
}

// Due returns the unit in which a record is due; false if there is none of that id.
func (s *Store) Due(id ID) (due int64, ok bool, err error) {
	if s.err != nil {
		return 0, false, s.err
	}
	if s.ids == nil {
		return 0, false, ErrNoIndex
	}
	seq, ok, err := s.ids.find(id)
	if err != nil || !ok {
		return 0, false, s.fail(err)
	}
	due = s.index.due(seq)
	return due, due != none, nil
}

// table is the messages of one bucket by sequence number [SAT footnote 3].
type table struct {
	bytes  []byte
	first  map[uint32]int // of the entries of a number
	last   map[uint32]int
	frames []tableEntry
	found  [][]byte
}

type tableEntry struct {
	at, next int // -1: none follows
}

// load reads the messages of a stream, whose buffer is empty.
func (t *table) load(s *Store, part *stream) error {
	clear(t.first)
	clear(t.last)
	t.bytes, t.frames = t.bytes[:0], t.frames[:0]
	if part.size == 0 {
		return nil
	}
	if t.first == nil {
		t.first, t.last = map[uint32]int{}, map[uint32]int{}
	}
	return s.each(part, func(f frame) error {
		n, seq := len(t.frames), f.seq()
		t.frames = append(t.frames, tableEntry{len(t.bytes), -1})
		t.bytes = append(t.bytes, f...)
		if before, ok := t.last[seq]; ok {
			t.frames[before].next = n
		} else {
			t.first[seq] = n
		}
		t.last[seq] = n
		return nil
	})
}

// of returns the payloads for a record, and whether it is to be dropped.
func (t *table) of(seq uint32) (messages [][]byte, drop bool) {
	if len(t.frames) == 0 {
		return nil, false
	}
	t.found = t.found[:0]
	i, ok := t.first[seq]
	for ok && i >= 0 {
		e := t.frames[i]
		f := frame(t.bytes[e.at:])
		n, _ := frameLength(f)
		drop = drop || f.kind() == kindDelete
		t.found = append(t.found, f[headerBytes+idBytes:n])
		i = e.next
	}
	return t.found, drop
}
