package engine

import (
	"encoding/binary"
	"errors"
)

// Payload of a snapshot frame: clock (8), number of the index file (8), next number of a run file
// (4), next seq (4), last serial of a run (8), then per run file: number (4), class (1), flags (1;
// 1: shared), clock when it was made (8), bytes (8), punched (8), and in a marked one its mark (8).
// In an outlined or marked one the number of files (4) comes before them, and the outline after.
const (
	snapshotHead = 8 + 8 + 4 + 4 + 8
	snapshotFile = 4 + 1 + 1 + 8 + 8 + 8
	markBytes    = 8
)

func (s *Store) appendSnapshot(b []byte, index int64) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.clock))
	b = binary.LittleEndian.AppendUint64(b, uint64(index))
	b = binary.LittleEndian.AppendUint32(b, s.files.next)
	b = binary.LittleEndian.AppendUint32(b, s.index.next)
	b = binary.LittleEndian.AppendUint64(b, s.serial)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.files.count()))
	for _, f := range s.files.all {
		if f == nil {
			continue
		}
		b = binary.LittleEndian.AppendUint32(b, f.number)
		shared := byte(0)
		if f.shared {
			shared = 1
		}
		b = append(b, f.class, shared)
		for _, v := range [...]uint64{uint64(f.made), uint64(f.size), uint64(f.punched), f.mark} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return b
}

// loadSnapshot restores the state in a snapshot frame, and reads its index or rebuilds that.
func (s *Store) loadSnapshot(g *segment) error {
	r := fields{b: g.snapshot}
	clock, index := int64(r.u64()), int64(r.u64())
	s.files.next = r.u32()
	next := r.u32()
	s.serial = r.u64()
	count := len(r.b) / snapshotFile
	if g.outlined {
		count = int(r.u32())
	} else if len(r.b)%snapshotFile != 0 {
		r.bad = true
	}
	if r.bad || clock < 0 || clock > maxUnit || index < 1 || count > maxFiles {
		return errPayload
	}
	byNumber := map[uint32]*runFile{}
	for range count {
		f := &runFile{number: r.u32(), class: r.u8(), shared: r.u8()&1 != 0, full: true}
		f.made, f.size, f.punched = int64(r.u64()), int64(r.u64()), int64(r.u64())
		if g.marked {
			f.mark = r.u64()
		}
		if r.bad || f.class >= classes || f.size < 0 || f.size > maxFileBytes ||
			byNumber[f.number] != nil {
			return errPayload
		}
		byNumber[f.number] = f
		s.files.add(f)
	}
	s.clock, s.indexNo = clock, index
	s.radix.move(clock)
	err := s.loadIndex(index, byNumber)
	var damage *DamageError
	if errors.As(err, &damage) && g.outlined {
		s.note(damage)
		err = s.rebuild(byNumber, &r)
	}
	if err != nil {
		return err
	}
	s.index.next = max(s.index.next, next)
	return nil
}
