package satstore

import (
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// Add registers a new page: r.Page must be Pages(), and r.URL its address.
func (s *Store) Add(r *sitegraph.Record) error {
	if err := s.writable(); err != nil {
		return err
	}
	if int(r.Page) != len(s.index) {
		return fmt.Errorf("page %d cannot be added: the next is %d", r.Page, len(s.index))
	}
	s.index = append(s.index, nowhere)
	if err := s.append(r); err != nil {
		s.index = s.index[:r.Page]
		return err
	}
	return s.fail(s.batch.Set(pageKey(keyAddress, r.Page), []byte(r.URL), nil))
}

// Save replaces the record of a page. r.Due decides in which bucket it is kept, clamped
// to 1 to T units after the clock; the field itself is kept as it is.
func (s *Store) Save(r *sitegraph.Record) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.known(r.Page); err != nil {
		return err
	}
	return s.append(r)
}

// append is step 5 of [SAT 3.3]: the record goes to the log and to its write buffer. An
// error before anything was changed is the caller's (an address too long); the store
// goes on after it.
func (s *Store) append(r *sitegraph.Record) error {
	unit := s.dueUnit(r.Due)
	f, err := appendFrame(s.frame[:0], r, uint16(unit-s.clock), s.lsn)
	if err != nil {
		return err
	}
	s.frame = f
	s.lsn++
	s.changed = true
	if err := s.log.addRecord(s.clock, f); err != nil {
		return s.fail(err)
	}
	s.written.records += int64(len(f) - frameHeader)
	return s.fail(s.place(s.bucketOf(unit), f))
}

// place puts a frame into the write buffer of its bucket and lets the index point at it.
func (s *Store) place(b *bucket, f frame) error {
	a := s.arena
	for a.used+a.pagesFor(&b.buf, len(f)) > a.limit && a.used > 0 {
		if err := s.flushSome(); err != nil {
			return err
		}
	}
	var at location
	if a.pagesFor(&b.buf, len(f)) > a.limit { // longer than the whole budget
		at = makeLocation(b.slot, inFile, b.size)
		if err := s.appendToFile(b, f); err != nil {
			return err
		}
	} else {
		at = makeLocation(b.slot, inBuffer, a.put(&b.buf, f).offset())
	}
	s.point(f.page(), at)
	b.live++
	return nil
}

// point lets the index point at a new copy; the caller counts it in its bucket.
func (s *Store) point(p sitegraph.PageID, at location) {
	if old := s.index[p]; old != nowhere {
		s.slots[old.slot()].live--
	}
	s.index[p] = at
}

// readGuess is how much Load reads at first. Records have about 200 bytes; a longer one
// costs a second read.
const readGuess = 1 << 10

// Load reads the newest record of a page into r. Strings that r holds already are kept
// where they are the same. Times are in UTC.
func (s *Store) Load(p sitegraph.PageID, r *sitegraph.Record) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.known(p); err != nil {
		return err
	}
	at := s.index[p]
	if at == nowhere {
		return s.fresh(p, r)
	}
	f, err := s.frameOf(at)
	if err != nil {
		return fmt.Errorf("load page %d: %w", p, err)
	}
	if f.page() != p {
		return &DamageError{Path: s.slots[at.slot()].path, Offset: at.offset(),
			What: fmt.Sprintf("record of page %d where that of %d should be", f.page(), p)}
	}
	r.Page = p
	if err := decodeRecord(f.body(), r); err != nil {
		return fmt.Errorf("load page %d: %w", p, err)
	}
	return nil
}

// frameOf returns the frame at a location, good until the next call.
func (s *Store) frameOf(at location) (frame, error) {
	b := s.slots[at.slot()]
	if at.place() == inBuffer {
		var h [frameHeader]byte
		head, _ := s.arena.read(h[:0], spotOf(at.offset()), frameHeader)
		n, _ := frameLength(head)
		s.read, _ = s.arena.read(s.read[:0], spotOf(at.offset()), n)
		return frame(s.read), nil
	}
	file, path := s.log.file, s.log.path
	if at.place() == inFile {
		path = b.path
		var err error
		if file, err = s.files.get(b); err != nil {
			return nil, err
		}
	}
	f, err := s.readFrame(file, at.offset())
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, &DamageError{Path: path, Offset: at.offset(), What: "no whole record"}
	}
	return f, nil
}

// readFrame reads the frame at an offset with one read, or two if it is long. It returns
// nil if there is none.
func (s *Store) readFrame(file vfs.File, offset int64) (frame, error) {
	if cap(s.read) < readGuess {
		s.read = make([]byte, 0, readGuess)
	}
	n, err := readSome(file, s.read[:readGuess], offset)
	if err != nil {
		return nil, err
	}
	b := s.read[:n]
	if length, ok := frameLength(b); ok && length > n && n == readGuess {
		if cap(s.read) < length {
			s.read = append(make([]byte, 0, length), b...)
		}
		more, err := readSome(file, s.read[n:length], offset+int64(n))
		if err != nil {
			return nil, err
		}
		b = s.read[:n+more]
	}
	if f, ok := frameAt(b); ok {
		return f, nil
	}
	return nil, nil
}

// fresh sets r to what a page has of which nothing is remembered but its address: it was
// never visited, and is due at once.
func (s *Store) fresh(p sitegraph.PageID, r *sitegraph.Record) error {
	url, ok, err := s.cat.get(pageKey(keyAddress, p))
	if err != nil {
		return fmt.Errorf("read address of page %d: %w", p, err)
	}
	if !ok {
		return &DamageError{Path: s.catalogueDir(), What: fmt.Sprintf("no address of page %d", p)}
	}
	*r = sitegraph.Record{Page: p, URL: string(url), State: sitegraph.StateNew,
		Due: time.Unix((s.clock+1)*s.unit, 0).UTC(), Reason: "record lost"}
	return nil
}
