package satstore

import (
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// scanBytes is how much of a bucket file is read at once.
const scanBytes = 256 << 10

// scanner reads the frames of a bucket file from its start to the length that counts.
type scanner struct {
	file vfs.File
	size int64
	at   int64  // offset in the file of the start of b
	b    []byte // read and not yet looked at
	read int64  // offset in the file of the end of b
	buf  []byte
}

func newScanner(file vfs.File, size int64, buf []byte) *scanner {
	if cap(buf) < scanBytes {
		buf = make([]byte, scanBytes)
	}
	return &scanner{file: file, size: size, buf: buf[:scanBytes]}
}

// fill reads on, so that a frame at the start of b is whole if the file has all of it.
func (sc *scanner) fill() error {
	if len(sc.b) >= maxFrameBytes || sc.read >= sc.size {
		return nil
	}
	n := copy(sc.buf, sc.b)
	room := sc.buf[n:]
	room = room[:min(int64(len(room)), sc.size-sc.read)]
	got, err := readSome(sc.file, room, sc.read)
	if err != nil {
		return err
	}
	sc.read += int64(got)
	sc.b = sc.buf[:n+got]
	if got < len(room) {
		sc.size = sc.read // the file is shorter than it should be
	}
	return nil
}

// next returns the next frame, its offset, and how many bytes before it are damaged;
// io.EOF with a count of damaged bytes at the end. The frame is good until the next call.
func (sc *scanner) next() (f frame, offset, damaged int64, err error) {
	for {
		if err := sc.fill(); err != nil {
			return nil, sc.at, damaged, err
		}
		if len(sc.b) == 0 {
			return nil, sc.at, damaged, io.EOF
		}
		if f, ok := frameAt(sc.b); ok {
			offset = sc.at
			sc.b = sc.b[len(f):]
			sc.at += int64(len(f))
			return f, offset, damaged, nil
		}
		sc.b = sc.b[1:] // look for the next frame behind the damage
		sc.at++
		damaged++
	}
}

// readSome fills b from the file at an offset as far as the file goes.
func readSome(f vfs.File, b []byte, at int64) (int, error) {
	n, err := f.ReadAt(b, at)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// eachFrame calls f for every frame of the file of b in order, and notes damage. Frames
// to which the index does not point are included.
func (s *Store) eachFrame(b *bucket, f func(fr frame, offset int64) error) error {
	if b.size == 0 {
		return nil
	}
	file, err := s.files.get(b)
	if err != nil {
		return err
	}
	sc := newScanner(file, b.size, s.scan)
	s.scan = nil // f may scan too
	defer func() { s.scan = sc.buf }()
	for {
		fr, offset, damaged, err := sc.next()
		if damaged > 0 {
			s.note(DamageError{Path: b.path, Offset: sc.at - damaged - int64(len(fr)), What: "not a record"})
		}
		if err == io.EOF {
			if sc.size < b.size {
				s.note(DamageError{Path: b.path, Offset: sc.size, What: "the file is shorter than was acknowledged"})
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(fr, offset); err != nil {
			return err
		}
	}
}

// maxDamage bounds the list of damages; all are counted.
const maxDamage = 100

func (s *Store) note(d DamageError) {
	for i := range s.damage {
		if s.damage[i].Path == d.Path && s.damage[i].Offset == d.Offset {
			return
		}
	}
	s.damaged++
	if len(s.damage) < maxDamage {
		s.damage = append(s.damage, d)
	}
}

// Damage returns the damages found since Open, at most 100 of Stats().Damaged. Each may
// have cost one record or several; their pages have an older or a fresh record now.
func (s *Store) Damage() []DamageError { return s.damage }
