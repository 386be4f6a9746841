package paper

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Form is one of the three structures that the paper compares. The zero Form is none.
type Form int

const (
	Basic Form = 1 + iota // buckets and write buffers alone [SAT 3.3]
	SAT                   // and access by id [SAT 3.5]
	Naive                 // SAT with at most one page a buffer [SAT 4.2]
)

// Options configure a store.
type Options struct {
	FS          vfs.FS // default: the operating system's
	Form        Form
	Units       int   // T: a record is due 1 to T units after the clock; default 400
	BufferBytes int   // of all write buffers; default 32 MiB [SAT 4.1]
	PageBytes   int   // default 4096 [SAT 4.1]
	SortBytes   int   // memory of the sort; default 1 MiB [SAT 4.1]
	LogBytes    int64 // a new log begins at this length; default 256 MiB

	openFiles int // small in tests
}

// withDefaults replaces zeros by defaults and refuses impossible options.
func (o Options) withDefaults() (Options, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	o.Units = cmp.Or(o.Units, 400)
	o.BufferBytes = cmp.Or(o.BufferBytes, 32<<20)
	o.PageBytes = cmp.Or(o.PageBytes, 4096)
	o.SortBytes = cmp.Or(o.SortBytes, 1<<20)
	o.LogBytes = cmp.Or(o.LogBytes, 256<<20)
	o.openFiles = cmp.Or(o.openFiles, 256)
	const maxUnits = 1<<24 - 2 // limit of 24 bits of the bucket index, with room to move its base
	switch {
	case o.Form < Basic || o.Form > Naive:
		return o, fmt.Errorf("form %d is unknown", o.Form)
	case o.Units < 1 || o.Units > maxUnits:
		return o, fmt.Errorf("units %d are outside 1 to %d", o.Units, maxUnits)
	case o.PageBytes < 64 || o.PageBytes > 1<<20:
		return o, fmt.Errorf("page bytes %d are outside 64 to %d", o.PageBytes, 1<<20)
	case o.BufferBytes < o.PageBytes:
		return o, fmt.Errorf("buffer bytes %d are less than a page of %d", o.BufferBytes,
			o.PageBytes)
	case o.SortBytes < 0, o.LogBytes < 0, o.openFiles < 1:
		return o, fmt.Errorf("options %+v are out of range", o)
	}
	return o, nil
}

// ErrExists reports that the id of a record is taken.
var ErrExists = errors.New("there is a record of that id")

// Store is one directory. Calls come from one goroutine at a time.
type Store struct {
	o       Options
	files   files
	arena   arena
	filling classes
	ring    []stream // the bucket being read, and T ahead

	clock   int64          // all units up to it are over
	nextSeq uint32         // of the next new record
	ids     *sequenceIndex // nil in Basic
	index   bucketIndex    // unused in Basic
	log     logFile

	reading int64                    // unit of a Visit that is running or not committed; 0: none
	held    map[uint32][]heldMessage // for records of that unit without a write back yet

	visit    Visit
	sorter   sorter
	reader   frames
	wanted   []ID
	message  []byte
	out      []byte
	flushing []*stream
	flushes  [4]int64 // of all buffers above 16, 4 and 1 pages; of one page
	err      error    // the first failure, which stops the store
}

// Open makes a store in a directory without one.
func Open(dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{o: o, arena: newArena(o.PageBytes, o.BufferBytes/o.PageBytes),
		ring:  make([]stream, o.Units+1),
		files: files{fs: o.FS, dir: dir, most: o.openFiles}, index: bucketIndex{bits: 16}}
	if o.Units > 1<<16-2 {
		s.index.bits = 24
	}
	for i := range s.ring {
		s.ring[i].class, s.ring[i].number = noClass, -1
	}
	if err = o.FS.MkdirAll(dir, 0o755); err == nil && o.Form != Basic {
		s.ids, err = openSequenceIndex(o.FS, s.files.path("ids"))
	}
	if err == nil {
		err = s.newLog()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, err), s.Close())
	}
	return s, nil
}

// fail keeps the first failure.
func (s *Store) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// bucket returns the bucket of a unit, empty if it is new.
func (s *Store) bucket(unit int64) *stream {
	b := &s.ring[unit%int64(len(s.ring))]
	if b.number != unit {
		if b.size > 0 || b.buf.pages > 0 {
			panic(fmt.Sprintf("paper: buckets %d and %d at once", b.number, unit))
		}
		b.number, b.name = unit, fmt.Sprintf("bucket-%d", unit)
	}
	return b
}

// clamp moves a due unit to a possible one: 1 to T after the last unit that was begun.
func (s *Store) clamp(due int64) int64 {
	t := max(s.clock, s.reading)
	return min(max(due, t+1), t+int64(s.o.Units))
}

// Add stores a new record, whose body begins with its id, and returns its number. Without an index,
// in Basic, ids are not compared.
func (s *Store) Add(due int64, body []byte) (seq uint32, err error) {
	if s.err != nil {
		return 0, s.err
	}
	if len(body) < idBytes || len(body) > maxBody {
		return 0, fmt.Errorf("body of %d bytes, not %d to %d", len(body), idBytes, maxBody)
	}
	id := ID(body)
	if s.ids != nil {
		if seq, ok, err := s.ids.find(id); err != nil {
			return 0, s.fail(err)
		} else if ok && s.index.due(seq) != none {
			return seq, ErrExists
		}
	}
	due = s.clamp(due)
	if s.nextSeq == math.MaxUint32 || due > math.MaxUint32 {
		return 0, fmt.Errorf("number %d or unit %d: they end at 2^32-1", s.nextSeq, due)
	}
	seq = s.nextSeq
	s.nextSeq++
	if err := s.put(kindRecord, seq, due, body); err != nil {
		return 0, s.fail(err)
	}
	if s.ids != nil {
		s.ids.pending[id] = seq
		s.index.set(seq, due, s.clock)
	}
	return seq, nil
}

// put appends a frame to the log and to the buffer of its bucket (step 5).
func (s *Store) put(kind byte, seq uint32, due int64, body []byte) error {
	h := makeHeader(kind, seq, due, body)
	if err := s.log.add(h[:], body); err != nil {
		return err
	}
	return s.buffer(s.bucket(due), h, body)
}

// Visit is a due record. It is valid until the callback returns.
type Visit struct {
	Seq uint32
	// Body begins with the id. It may be changed in place or replaced, except the id.
	Body []byte
	// Messages are the payloads of the requests since the last visit, the oldest first.
	Messages [][]byte
}

// Visit passes the records of the next unit to visit, once each. It stores them in the bucket of
// the unit that visit returns, 1 to T after this one (steps 0.5 to 6). visit may call Add and
// Request. Commit must follow.
func (s *Store) Visit(visit func(v *Visit) (due int64)) error {
	if s.err != nil {
		return s.err
	}
	if s.reading != 0 {
		return fmt.Errorf("unit %d is not committed", s.reading)
	}
	s.reading = s.clock + 1
	b := s.bucket(s.reading)
	err := s.flushAll(b) // sealed: later records are due later
	if err == nil && s.o.Form == Basic {
		err = s.each(b, func(f frame) error { return s.visitOne(f, nil, visit) })
	} else if err == nil {
		err = s.visitSorted(b, visit)
	}
	clear(s.held)
	return s.fail(err)
}

// visitSorted visits the records of a bucket in the order of their ids, each with its messages.
func (s *Store) visitSorted(b *stream, visit func(v *Visit) (due int64)) error {
	var record, messages []byte
	var ends []int
	var payloads [][]byte
	drop := false
	finish := func() error {
		if len(record) == 0 {
			return nil
		}
		if drop {
			s.index.drop(frame(record).seq())
			return nil
		}
		payloads = payloads[:0]
		from := 0
		for _, end := range ends {
			payloads = append(payloads, messages[from:end])
			from = end
		}
		return s.visitOne(record, payloads, visit)
	}
	if err := s.sorted(b, func(f frame) error {
		if f.kind() != kindRecord {
			if len(record) > 0 && frame(record).seq() == f.seq() {
				messages = append(messages, f[headerBytes+idBytes:]...)
				ends = append(ends, len(messages))
				drop = drop || f.kind() == kindDelete
			}
			return nil
		}
		if err := finish(); err != nil {
			return err
		}
		record, messages, ends, drop = append(record[:0], f...), messages[:0], ends[:0], false
		return nil
	}); err != nil {
		return err
	}
	return finish()
}

// visitOne visits a record and writes it back, followed by the messages held for it.
func (s *Store) visitOne(f frame, messages [][]byte, visit func(v *Visit) (due int64)) error {
	seq, id := f.seq(), f.id()
	s.visit = Visit{seq, f.body(), messages}
	due := s.clamp(visit(&s.visit))
	body := s.visit.Body
	if len(body) < idBytes || len(body) > maxBody || ID(body) != id {
		return fmt.Errorf("record %x came back from its visit with %d bytes or another id", id,
			len(body))
	}
	if err := s.put(kindRecord, seq, due, body); err != nil {
		return err
	}
	if s.ids != nil {
		s.index.set(seq, due, s.clock)
	}
	for _, m := range s.held[seq] {
		if err := s.put(m.kind, seq, due, m.body); err != nil {
			return err
		}
	}
	delete(s.held, seq)
	return nil
}

// Request is a change of a record between its visits: a message that waits in the bucket of the
// record [SAT 3.5].
type Request struct {
	ID      ID
	Delete  bool // the record is dropped instead of visited
	Payload []byte
}

// ErrNoIndex reports that SAT/Basic takes no requests.
var ErrNoIndex = errors.New("SAT/Basic has no index: it takes no requests")

// heldMessage waits until its record is written back.
type heldMessage struct {
	kind byte
	body []byte
}

// Request sends messages and returns how many of them were for missing records. Looking them up is
// cheapest in the order of their ids. Messages for one record arrive in the order of sending.
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

// send appends a message to the bucket of its record. If that bucket is being read, the message
// waits for the record to be written back, and follows it.
func (s *Store) send(seq uint32, r *Request) error {
	kind := byte(kindMessage)
	if r.Delete {
		kind = kindDelete
	}
	s.message = append(append(s.message[:0], r.ID[:]...), r.Payload...)
	if due := s.index.due(seq); due > s.reading {
		return s.put(kind, seq, due, s.message)
	}
	if s.held == nil {
		s.held = map[uint32][]heldMessage{}
	}
	s.held[seq] = append(s.held[seq], heldMessage{kind, slices.Clone(s.message)})
	return nil
}

// Commit makes all earlier changes durable, and ends the unit of a Visit: it deletes its bucket
// (step 7) and prepares the next one (steps 8 and 9).
func (s *Store) Commit() error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.commit())
}

func (s *Store) commit() error {
	if s.ids != nil {
		if err := s.ids.commit(); err != nil {
			return err
		}
	}
	if err := s.log.commit(max(s.clock, s.reading)); err != nil {
		return err
	}
	if s.reading != 0 {
		b := s.bucket(s.reading)
		if err := s.files.close(b); err != nil {
			return err
		}
		if b.size > 0 {
			if err := s.o.FS.Remove(s.files.path(b.name)); err != nil {
				return fmt.Errorf("remove %s: %w", b.name, err)
			}
		}
		b.size, b.dirty = 0, false
		s.clock, s.reading = s.reading, 0
		if err := s.flushAll(s.bucket(s.clock + 1)); err != nil {
			return err
		}
	}
	if s.log.size-s.log.first > s.o.LogBytes {
		return s.newLog()
	}
	return nil
}

// Each flushes all write buffers and passes every record to visit once, in no order: to verify a
// store. The body is valid until visit returns, which must change nothing. Waiting messages are
// left out.
func (s *Store) Each(visit func(body []byte, due int64) error) error {
	if s.err != nil {
		return s.err
	}
	for i := range s.ring {
		b := &s.ring[i]
		if err := s.flushAll(b); err != nil {
			return s.fail(err)
		}
		if err := s.each(b, func(f frame) error {
			if f.kind() != kindRecord {
				return nil
			}
			return visit(f.body(), f.due())
		}); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the store.
func (s *Store) Close() (err error) {
	for s.files.newest != nil {
		err = errors.Join(err, s.files.close(s.files.newest))
	}
	if s.log.file != nil {
		err = errors.Join(err, s.log.file.Close())
	}
	if s.ids != nil {
		err = errors.Join(err, s.ids.db.Close())
	}
	s.err = cmp.Or(s.err, errors.New("store is closed"))
	return err
}
