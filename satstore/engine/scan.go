package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Scan passes on every whole version of every record in the run files and the log of a directory,
// even if it holds no store that can be opened. It needs neither version file, log nor index, and
// uses whatever is whole of each. It writes nothing. Versions come in no order, and messages are
// skipped. It keeps the longest frame of the log in memory.
func Scan(fs vfs.FS, dir string, to Scanner) (*Scanned, error) {
	c := &scan{fs: fs, dir: dir, to: to}
	if err := c.run(); err != nil {
		return nil, fmt.Errorf("scan %s: %w", dir, err)
	}
	return &c.found, nil
}

// Version orders two versions of a record: the newer one has the higher Serial or, if these are
// equal, the higher Place.
type Version struct{ Serial, Place uint64 }

// Scanner has the callbacks of Scan. Their arguments are valid until they return. Their errors end
// the scan.
type Scanner struct {
	// Record receives a version of a record; body is nil if it was deleted.
	Record func(seq uint32, v Version, body []byte) error
	// Attached receives the payloads of Attach that the log has, in order.
	Attached func(payload []byte) error
	// Progress receives the number of finished run files. May be nil.
	Progress func(done, all int) error
}

// Scanned is what Scan found apart from records.
type Scanned struct {
	Unit, Horizon int64 // of the version file; 0: unreadable
	Clock         int64 // a lower bound
	Damage        []*DamageError
}

type scan struct {
	fs    vfs.FS
	dir   string
	to    Scanner
	found Scanned
	seed  uint32
	place uint64 // of the last frame in the log
	buf   []byte
}

func (c *scan) note(path string, at int64, what string, cause error) {
	if len(c.found.Damage) < maxDamage {
		c.found.Damage = append(c.found.Damage,
			&DamageError{Path: path, Offset: at, What: what, Cause: cause})
	}
}

func (c *scan) run() error {
	s := &Store{fs: c.fs, dir: c.dir, files: files{fs: c.fs, dir: c.dir}}
	n, err := s.names()
	if errors.Is(err, os.ErrNotExist) {
		c.note(c.dir, 0, "records", err)
		return nil
	}
	if err != nil {
		return err
	}
	slices.Sort(n.runs)
	if err := c.identify(s, n.runs); err != nil {
		return err
	}
	slices.Sort(n.segments)
	for _, number := range slices.Backward(n.segments) { // a crash leaves an older one
		if frames, err := c.log(s.segmentPath(number)); err != nil || frames > 0 {
			if err != nil {
				return err
			}
			break
		}
	}
	if len(n.segments) == 0 {
		c.note(c.dir, 0, "no log", nil)
	}
	for i, number := range n.runs {
		if c.to.Progress != nil {
			if err := c.to.Progress(i, len(n.runs)); err != nil {
				return err
			}
		}
		if err := c.file(s.files.path(uint32(number)), uint32(number)); err != nil {
			return err
		}
	}
	return nil
}

// identify finds the store's id, with which the checksums of blocks begin: in the version file, or
// in the headers of most run files.
func (c *scan) identify(s *Store, numbers []int64) error {
	err := s.readFormat()
	var format *FormatError
	if errors.As(err, &format) {
		// Only a newer program writes another number with a right checksum.
		path, text, e := directory.ReadFormat(c.fs, c.dir)
		if e != nil || directory.IsSealed(text) {
			return format
		} else {
			err = &DamageError{Path: path, What: "not a version file"}
		}
	}
	votes := map[[16]byte]int{}
	for _, number := range numbers {
		if h, err := c.header(s.files.path(uint32(number))); err == nil {
			votes[[16]byte(h[16:])]++
			c.found.Clock = max(c.found.Clock, int64(binary.LittleEndian.Uint64(h[32:])))
		}
	}
	if err == nil {
		c.found.Unit, c.found.Horizon = s.o.Unit, newRadix(s.o.Levels).horizon()
	} else {
		c.note(c.fs.PathJoin(c.dir, directory.FormatName), 0, "version file", err)
		for id, n := range votes {
			if n > votes[s.id] || n == votes[s.id] && bytes.Compare(id[:], s.id[:]) > 0 {
				s.id = id
			}
		}
	}
	c.seed = crc32.Checksum(s.id[:], castagnoli)
	return nil
}

// header reads the header of a run file.
func (c *scan) header(path string) ([]byte, error) {
	f, err := c.fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := make([]byte, fileHeader)
	if err := readFull(f, h, 0); err != nil {
		return nil, err
	}
	if string(h[:8]) != fileMagic ||
		binary.LittleEndian.Uint32(h[40:]) != crc32.Checksum(h[:40], castagnoli) {
		err = errPayload
	}
	return h, err
}

// scanWindow is the number of bytes of a run file scanned at once. The longest block fits.
const scanWindow = 4 << 20

// file looks for blocks in a run file.
func (c *scan) file(path string, number uint32) error {
	f, err := c.fs.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := c.header(path); err != nil {
		c.note(path, 0, "header of run file", nil)
	}
	size := stat.Size()
	for at := int64(runAlign); at < size; {
		c.buf = sized(c.buf, int(min(scanWindow, size-at)))
		if err := c.read(f, path, c.buf, at); err != nil {
			return err
		}
		n, err := c.window(path, number, c.buf, at, at+int64(len(c.buf)) == size)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

// read fills b. Unreadable bytes become zeros, in units of runAlign, and are noted.
func (c *scan) read(f vfs.File, path string, b []byte, at int64) error {
	err := readFull(f, b, at)
	if err == nil || !unreadable(err) {
		return err
	}
	for i := 0; i < len(b); i += runAlign {
		part := b[i:min(i+runAlign, len(b))]
		if err := readFull(f, part, at+int64(i)); unreadable(err) {
			clear(part)
			c.note(path, at+int64(i), "bytes", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// window passes on the blocks that begin in b, which is at an offset of the file. It returns how
// many bytes of b are finished.
func (c *scan) window(path string, number uint32, b []byte, at int64, last bool) (int, error) {
	i := 0
	for i+blockHeader <= len(b) {
		h := b[i:]
		if binary.LittleEndian.Uint32(h) != blockMagic {
			i += blockAlign
			continue
		}
		n := int(binary.LittleEndian.Uint32(h[4:]))
		off := int64(binary.LittleEndian.Uint32(h[24:])) * blockAlign
		if n <= blockHeader || n > maxRawBlock || off != at+int64(i) ||
			binary.LittleEndian.Uint32(h[12:]) != number {
			i += blockAlign // part of a body, or damaged
			continue
		}
		if n > len(h) {
			if !last && i > 0 {
				return i, nil // the next window has it whole
			}
			n = len(h) // the file was cut
		}
		whole, err := c.block(path, h[:n], number, off)
		if err != nil {
			return 0, err
		}
		if whole {
			i += (n + blockAlign - 1) / blockAlign * blockAlign
		} else {
			i += blockAlign // its length may be damaged
		}
	}
	if last {
		i = len(b)
	}
	return i, nil
}

// block passes on the records of a block, or its whole records if it is damaged.
func (c *scan) block(path string, b []byte, number uint32, off int64) (whole bool, err error) {
	kind, frames := b[10], framesIn(b)
	if whole = binary.LittleEndian.Uint32(b[blockCRCAt:]) == blockCRC(b, c.seed); !whole {
		c.note(path, off, "block", nil)
		want := block{off: off, size: uint32(len(b)), count: binary.LittleEndian.Uint16(b[8:])}
		frames, _ = salvage(b, c.seed, &want,
			slotKey{int(b[11]), int64(binary.LittleEndian.Uint64(b[16:]))}, number)
		if kind != kindRecords+summedBlock || frames == nil {
			return false, nil
		}
	} else if kind > kindRecords+summedBlock {
		return true, &FormatError{Path: path, What: "a block", Found: int(kind),
			Known: kindRecords + summedBlock}
	}
	if kind == kindMessages {
		return whole, nil
	}
	v := Version{Serial: binary.LittleEndian.Uint64(b[28:])}
	return whole, c.frames(frames, v)
}

func (c *scan) frames(frames []byte, v Version) error {
	var f frame
	for w := framesOf(frames, kindRecords); w.next(&f); {
		if f.flags&flagDead != 0 || f.seq > MaxSeq {
			continue
		}
		if err := c.to.Record(f.seq, v, f.body); err != nil {
			return err
		}
	}
	return nil
}

// scanFrame is a whole frame of the log: its place, and the last run that was written before it.
type scanFrame struct {
	at     int64
	serial uint64 // of that run
	kind   byte
}

// log passes on the whole frames of a segment, even with damage between them, and returns their
// number.
func (c *scan) log(path string) (int, error) {
	f, err := c.fs.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return 0, err
	}
	r := &logReader{path: path, file: f, size: stat.Size()}
	list, err := c.outline(r)
	if err != nil {
		return 0, err
	}
	for _, e := range list {
		r.at = e.at
		frame, err := r.next()
		if err != nil {
			return 0, err
		}
		if err := c.applyFrame(&frame, e.serial); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// outline lists the whole frames of a segment. It continues after damage: frames from there to the
// next frame that names a run were written before that run, and after all earlier ones.
func (c *scan) outline(r *logReader) (list []scanFrame, err error) {
	known, serial, open := false, uint64(0), 0 // open: index from which serials are unknown
	settle := func(n uint64) {
		for i := range list[open:] {
			list[open+i].serial = n
		}
	}
	for {
		f, err := r.next()
		switch {
		case err == io.EOF:
			if !known {
				settle(math.MaxUint64)
			}
			return list, nil
		case errors.Is(err, errLogFrame) || err != nil && unreadable(err):
			c.note(r.path, r.at, "log frame", nil)
			if known {
				known, open = false, len(list)
			}
			if err := c.skip(r); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		}
		if named, ok := serialIn(&f); ok {
			if !known && !isSnapshot(f.kind) {
				settle(named - 1)
			}
			known, serial = true, named
		}
		list = append(list, scanFrame{f.offset, serial, f.kind})
	}
}

// serialIn returns the serial of the last run in a frame that names one.
func serialIn(f *logFrame) (uint64, bool) {
	p := fields{b: f.payload}
	switch {
	case isSnapshot(f.kind):
		p.next(8 + 8 + 4 + 4)
	case f.kind == logRun || f.kind == logMarkedRun:
		p.next(4 + 1 + 8)
	default:
		return 0, false
	}
	serial := p.u64()
	return serial, !p.bad
}

// skip goes to the next header of a frame, or the end.
func (c *scan) skip(r *logReader) error {
	buf := make([]byte, logSpill)
	for r.at++; r.at+logHeader <= r.size; {
		b := buf[:min(int64(len(buf)), r.size-r.at)]
		if err := c.read(r.file, r.path, b, r.at); err != nil {
			return err
		}
		for i := 0; i+logHeader <= len(b); i++ {
			if _, _, _, ok := parseLogHeader(b[i:]); ok {
				r.at += int64(i)
				return nil
			}
		}
		r.at += int64(len(b)) - logHeader + 1
	}
	r.at = r.size
	return nil
}

// applyFrame passes on the content of a frame of the log.
func (c *scan) applyFrame(f *logFrame, serial uint64) error {
	p := fields{b: f.payload}
	switch {
	case isSnapshot(f.kind) || f.kind == logCommit:
		c.found.Clock = max(c.found.Clock, int64(p.u64()))
	case f.kind == logAttachment:
		return c.to.Attached(f.payload)
	case f.kind == logDeletions:
		for len(p.b) >= 4 {
			c.place++
			if err := c.to.Record(p.u32(), Version{serial, c.place}, nil); err != nil {
				return err
			}
		}
	case f.kind == logPages:
		for len(p.b) > 0 {
			_, kind := p.slot(math.MaxInt)
			b := p.next(int(p.upto(uint64(len(p.b)))))
			c.place++
			if p.bad || kind != kindRecords {
				continue
			}
			if err := c.frames(b, Version{serial, c.place}); err != nil {
				return err
			}
		}
	}
	return nil
}
