package engine

import (
	"encoding/binary"
	"errors"
)

// Payload of a logMarkedRun or logRun frame:
//
//	4 number of the file, 1 class, 8 clock when the file was made, 8 serial, 8 mark of the file
//	(logMarkedRun alone)
//	per block, all records before all messages, as below
//	8 bytes of the file that count after this run
//
// A block is level << 1 | kind (1), index of the slot (uvarint), offset / 16 (uvarint), bytes
// (uvarint), frames (uvarint), seq of each frame (4; deadSeq for a dead one), count of those with
// waiting messages (uvarint) and which (uvarint each).
//
// Payload of a logPages frame: per page level and kind,
// index of the slot, bytes (uvarint), frames as in blocks.
const deadSeq = ^uint32(0)

const runHead = 4 + 1 + 8 + 8

var errPayload = errors.New("fields do not fit")

func tagOf(level int, kind uint8) byte { return byte(level)<<1 | kind }

func appendRunHead(b []byte, f *runFile, serial uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, f.number)
	b = append(b, f.class)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.made))
	b = binary.LittleEndian.AppendUint64(b, serial)
	return binary.LittleEndian.AppendUint64(b, f.mark)
}

func appendRunBlock(b []byte, sl *slot, blk *block, seqs []uint32, waits []uint16) []byte {
	b = append(b, tagOf(sl.level, blk.kind))
	b = binary.AppendUvarint(b, uint64(sl.index))
	b = binary.AppendUvarint(b, uint64(blk.off/blockAlign))
	b = binary.AppendUvarint(b, uint64(blk.size))
	b = binary.AppendUvarint(b, uint64(len(seqs)))
	for _, seq := range seqs {
		b = binary.LittleEndian.AppendUint32(b, seq)
	}
	b = binary.AppendUvarint(b, uint64(len(waits)))
	for _, ord := range waits {
		b = binary.AppendUvarint(b, uint64(ord))
	}
	return b
}

// fields reads the payload of a frame. After a value that does not fit, bad is set and all values
// are zero.
type fields struct {
	b   []byte
	bad bool
}

func (r *fields) next(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *fields) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// upto reads a number of at most `most`.
func (r *fields) upto(most uint64) int64 {
	v := r.uvarint()
	if v > most {
		r.bad, r.b = true, nil
		return 0
	}
	return int64(v)
}

func (r *fields) u8() byte {
	if b := r.next(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *fields) u32() uint32 {
	if b := r.next(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *fields) u64() uint64 {
	if b := r.next(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// runBlock is a block as described in the log.
type runBlock struct {
	key   slotKey
	kind  uint8
	off   int64
	size  uint32
	count int
	seqs  []byte // 4 bytes each
	waits []uint16
}

func (b *runBlock) seq(i int) uint32 { return binary.LittleEndian.Uint32(b.seqs[4*i:]) }

func (r *fields) slot(levels int) (k slotKey, kind uint8) {
	tag := r.u8()
	k.level, kind = int(tag>>1), tag&1
	if k.level >= levels {
		r.bad, r.b = true, nil
		return slotKey{}, 0
	}
	k.index = r.upto(maxUnit)
	return k, kind
}

func (r *fields) runBlock(levels int, waits []uint16) (b runBlock) {
	b.key, b.kind = r.slot(levels)
	b.off = r.upto(1<<32-1) * blockAlign
	b.size = uint32(r.upto(maxBlockBytes))
	b.count = int(r.upto(maxFrames))
	b.seqs = r.next(4 * b.count)
	n := int(r.upto(uint64(b.count)))
	b.waits = waits[:0]
	for range n {
		b.waits = append(b.waits, uint16(r.upto(uint64(max(b.count-1, 0)))))
	}
	if b.size < blockHeader || b.count == 0 || b.kind == kindMessages && n > 0 {
		r.bad, r.b = true, nil
	}
	return b
}

// logPage appends the frames that a page got since it was last logged.
func (s *Store) logPage(sl *slot, h uint32) {
	b := &s.blocks[h]
	pg := &s.pages.all[b.off]
	if pg.logged == len(pg.buf) {
		return
	}
	fresh := pg.buf[pg.logged:]
	pg.logged = len(pg.buf)
	s.log.buf = append(s.log.buf, tagOf(sl.level, b.kind))
	s.log.buf = binary.AppendUvarint(s.log.buf, uint64(sl.index))
	s.log.buf = binary.AppendUvarint(s.log.buf, uint64(len(fresh)))
	s.log.buf = append(s.log.buf, fresh...)
}

// logClass logs the pages of a class that stay in the buffer.
func (s *Store) logClass(all []*slot, class int) error {
	frame := s.log.begin()
	empty := len(s.log.buf)
	for kind := range uint8(kinds) { // messages follow the records that they may be to
		for _, sl := range all {
			if sl.class == class {
				for _, h := range sl.pages[kind] {
					s.logPage(sl, h)
				}
			}
		}
	}
	if len(s.log.buf) == empty {
		s.log.buf = s.log.buf[:frame]
		return nil
	}
	s.log.end(frame, logPages)
	return s.log.spill()
}

// logDeleted logs the deletions since its last call.
func (s *Store) logDeleted() {
	if len(s.deleted) == 0 {
		return
	}
	frame := s.log.begin()
	for _, seq := range s.deleted {
		s.log.buf = binary.LittleEndian.AppendUint32(s.log.buf, seq)
	}
	s.log.end(frame, logDeletions)
	s.deleted = s.deleted[:0]
}

// logVoid logs that the messages of a slot are dropped before the slot's time.
func (s *Store) logVoid(sl *slot) {
	frame := s.log.begin()
	s.log.buf = append(s.log.buf, tagOf(sl.level, kindMessages))
	s.log.buf = binary.AppendUvarint(s.log.buf, uint64(sl.index))
	s.log.end(frame, logVoided)
}
