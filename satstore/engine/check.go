package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Check reads everything that the store needs: the version file, the log, the index file, the
// header of each run file and every block. It compares the blocks with the index. It returns
// damage, including bytes that the disk cannot read, and keeps it for Damage. The error reports
// other failures. Check changes nothing.
func (s *Store) Check() ([]*DamageError, error) { return s.CheckEach(nil) }

// CheckEach is Check that also passes the live records of each block to visit. visit may report
// what is wrong with a record, and ends the check by an error.
func (s *Store) CheckEach(visit checkVisit) ([]*DamageError, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if s.visiting != nil {
		return nil, ErrBusy
	}
	var found []*DamageError
	add := func(err error) error {
		var d *DamageError
		if errors.As(err, &d) {
			found = append(found, s.note(d))
			return nil
		}
		return err
	}
	for _, check := range []func(func(error) error) error{s.checkFormat, s.checkLog, s.checkIndex,
		s.checkHeaders,
		func(add func(error) error) error { return s.checkBlocks(add, visit) }} {
		if err := check(add); err != nil {
			return found, fmt.Errorf("check %s: %w", s.dir, err)
		}
	}
	return found, nil
}

// unread describes bytes that could not be read. Errors that do not concern bytes stay as they are.
func unread(path string, at int64, what string, err error) error {
	if err != nil && !isDamage(err) && (gone(err) || unreadable(err)) {
		return &DamageError{Path: path, Offset: at, What: what, Cause: err}
	}
	return err
}

func (s *Store) checkFormat(add func(error) error) error {
	path, text, err := directory.ReadFormat(s.fs, s.dir)
	if err == nil && !bytes.Equal(text, s.formatText()) {
		err = &DamageError{Path: path, What: "not a version file"}
	}
	return add(unread(path, 0, "version file", err))
}

// checkLog reads the log again, like recovery.
func (s *Store) checkLog(add func(error) error) error {
	path := s.segmentPath(s.log.number)
	f, err := s.fs.Open(path)
	if err != nil {
		return add(unread(path, 0, "log", err))
	}
	defer f.Close()
	r := &logReader{path: path, file: f, size: s.log.size}
	if s.o.ReadOnly {
		r.size = s.log.valid
	}
	for {
		_, err := r.next()
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, errLogFrame) {
			return add(&DamageError{Path: path, Offset: r.at, What: "log frame", Cause: err})
		}
		if err != nil {
			return add(unread(path, r.at, "log frame", err))
		}
	}
}

func (s *Store) checkIndex(add func(error) error) error {
	r, err := s.openIndex(s.indexNo)
	if err != nil {
		return add(unread(s.indexPath(s.indexNo), 0, "index", err))
	}
	defer r.Close()
	for {
		kind, _, err := r.next()
		if err != nil {
			return add(unread(r.path, r.start, "index chunk", err))
		}
		if kind == chunkEnd {
			if r.at != r.size {
				return add(r.damage("index does not add up"))
			}
			return nil
		}
	}
}

func (s *Store) checkHeaders(add func(error) error) error {
	for _, f := range s.files.all {
		if f == nil || f.size == 0 || f.blocks == 0 { // a file without blocks may be gone
			continue
		}
		path := s.files.path(f.number)
		b := make([]byte, runAlign)
		err := s.files.read(f, b, 0)
		if err == nil && string(b) != string(runHeader(f, s.id)) {
			err = &DamageError{Path: path, What: "header of run file"}
		}
		if err := add(unread(path, 0, "header of run file", err)); err != nil {
			return err
		}
	}
	return nil
}

// checkBlocks reads every needed block, and counts the frames in it that the index points to.
func (s *Store) checkBlocks(add func(error) error, visit checkVisit) error {
	for _, sl := range s.slots.ordered() {
		for kind := range kinds {
			for _, list := range [][]uint32{sl.blocks[kind], sl.pages[kind]} {
				for _, h := range list {
					if err := add(s.checkBlock(sl, h, add, visit)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

type checkVisit = func(seq uint32, body []byte) (wrong string, err error)

func (s *Store) checkBlock(sl *slot, h uint32, add func(error) error, visit checkVisit) error {
	b := &s.blocks[h]
	if b.file == inNone {
		return nil
	}
	data, bad, err := s.blockFrames(h)
	// nothing is lost here: the rest of the disk need not be readable
	if err != nil && unreadable(err) {
		return s.damaged(h, nil, "block", err)
	}
	if err != nil {
		return err
	}
	var damage *DamageError
	if bad != nil {
		damage = s.damaged(h, bad.frames, "block", bad.cause)
		_ = add(damage)
	}
	if data == nil {
		return nil
	}
	var f frame
	live, count := 0, 0
	w := framesOf(data, b.kind)
	for w.next(&f) {
		count++
		if b.kind == kindMessages {
			continue
		}
		if p := s.index.get(f.seq); p != nowhere && p.block() == h && p.frame() == w.ord {
			live++
			if visit != nil {
				wrong, err := visit(f.seq, f.body)
				if err != nil {
					return err
				}
				if wrong != "" {
					_ = add(
						&DamageError{Path: s.pathTo(b), Offset: b.off, What: wrong,
							Seqs: []uint32{f.seq}},
					)
				}
			}
			if sl.start+f.ahead > s.slots.last(sl) {
				return s.damaged(h, nil, "a record is due outside of its slot", nil)
			}
		}
	}
	if damage != nil {
		live += len(damage.Seqs)
	}
	if count != int(b.count) || len(w.rest) > 0 || b.kind == kindRecords && live != int(b.live) ||
		b.slot != sl.id {
		return s.damaged(
			h,
			nil,
			fmt.Sprintf("%d frames, %d live: want %d, %d", count, live, b.count, b.live),
			nil,
		)
	}
	return nil
}
