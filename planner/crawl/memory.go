package crawl

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/s2"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/state"
)

// The planner's memory is kept in pieces. A round changes few of many pages, and unchanged pieces
// are not written again. The first setting describes the pieces.
const (
	memorySetting = "policy/memory"
	memoryPiece   = 64 << 10
)

// memoryHead is the content of memorySetting.
type memoryHead struct {
	Bytes  int    `json:"bytes"`
	Sum    []byte `json:"sum"`    // SHA-256
	Learnt []byte `json:"learnt"` // of the policy's lessons then
	Packed string `json:"packed"` // the compression of the pieces
}

// packing names the compression of the pieces. Until the commit all changed pieces are in memory
// several times, and servers without visits compress well.
const packing = "s2"

func unpack(packed []byte) ([]byte, error) {
	if n, err := s2.DecodedLen(packed); err != nil || n > memoryPiece {
		return nil, cmp.Or(err, s2.ErrTooLarge)
	}
	return s2.Decode(nil, packed)
}

func sumOf(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}

func pieceSetting(i int) string { return fmt.Sprintf("%s/%d", memorySetting, i) }

// saveMemory stores the planner's memory, durable as a whole with the next commit.
func (l *Loop) saveMemory() error {
	k := memoryWriter{loop: l, sum: sha256.New(), piece: make([]byte, 0, memoryPiece)}
	err := l.Planner.WriteMemory(&k)
	if err == nil {
		err = k.flush()
	}
	kept := memoryHead{Bytes: k.bytes, Sum: k.sum.Sum(nil), Packed: packing}
	if errors.Is(err, state.ErrTooLarge) {
		kept.Bytes, kept.Sum, err = 0, sumOf(nil), nil
	}
	if err != nil {
		return err
	}
	learnt, _, err := l.Store.Setting(learntSetting)
	if err != nil {
		return l.storeError(err, "read the lessons of the policy")
	}
	kept.Learnt = sumOf(learnt)
	head, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := l.Store.SaveSetting(memorySetting, head); err != nil {
		return l.storeError(err, "save the memory of the planner")
	}
	return nil
}

// memoryWriter stores bytes piece by piece, so that they are never in memory as a whole.
type memoryWriter struct {
	loop  *Loop
	sum   hash.Hash
	bytes int
	piece []byte
	count int // pieces so far
}

func (k *memoryWriter) Write(b []byte) (int, error) {
	k.sum.Write(b)
	k.bytes += len(b)
	for rest := b; len(rest) > 0; {
		n := min(len(rest), memoryPiece-len(k.piece))
		k.piece, rest = append(k.piece, rest[:n]...), rest[n:]
		if len(k.piece) == memoryPiece {
			if err := k.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(b), nil
}

// flush stores the current piece unless it is unchanged.
func (k *memoryWriter) flush() error {
	if len(k.piece) == 0 {
		return nil
	}
	l, i, sum := k.loop, k.count, sha256.Sum256(k.piece)
	k.count++
	if i < len(l.pieces) && l.pieces[i] == sum {
		k.piece = k.piece[:0]
		return nil
	}
	if err := l.Store.SaveSetting(pieceSetting(i), s2.Encode(nil, k.piece)); err != nil {
		return l.storeError(err, "save the memory of the planner")
	}
	if i == len(l.pieces) {
		l.pieces = append(l.pieces, sum)
	}
	l.pieces[i] = sum
	k.piece = k.piece[:0]
	return nil
}

// RecallAll restores the memory of a planner and its policy, and what the policy had learnt. Call
// it before the first round. build makes the planner. RecallAll calls it again if the memory is
// damaged or of another program version or other settings; then the policy starts with what it had
// learnt only. why is not nil if something could not be read.
func RecallAll(s Store, build func() (*planner.Planner, error)) (
	p *planner.Planner, why, err error) {
	if p, err = build(); err != nil {
		return nil, nil, err
	}
	memory, learnt, err := readMemory(s)
	if err != nil {
		why = fmt.Errorf("read the memory of the planner: %w", err)
	}
	if len(memory) > 0 {
		exact, err := p.Recollect(memory)
		if err == nil && exact && learnt {
			return p, nil, nil
		}
		if err != nil {
			if !errors.Is(err, state.ErrForm) && !errors.Is(err, state.ErrSettings) {
				why = fmt.Errorf("restore the memory of the planner: %w", err)
			}
			if p, err = build(); err != nil {
				return nil, nil, err
			}
		}
	}
	return p, errors.Join(why, RecallLearnt(s, p.Policy)), nil
}

// readMemory returns the stored memory, or nothing if there is none. learnt reports whether the
// stored lessons of the policy are as old as this memory.
func readMemory(s Store) (memory []byte, learnt bool, err error) {
	value, ok, err := s.Setting(memorySetting)
	if err != nil || !ok {
		return nil, false, err
	}
	var head memoryHead
	if err := json.Unmarshal(value, &head); err != nil {
		return nil, false, err
	}
	if head.Packed != packing && head.Bytes > 0 {
		return nil, false, fmt.Errorf("its pieces are compressed as %q, and this version reads %q",
			head.Packed, packing)
	}
	for i := 0; len(memory) < head.Bytes; i++ {
		piece, ok, err := s.Setting(pieceSetting(i))
		if err != nil {
			return nil, false, err
		}
		if !ok || len(piece) == 0 {
			return nil, false, fmt.Errorf("piece %d is missing", i)
		}
		if piece, err = unpack(piece); err != nil || len(piece) == 0 {
			return nil, false, fmt.Errorf("piece %d is damaged: %w",
				i, cmp.Or(err, io.ErrUnexpectedEOF))
		}
		memory = append(memory, piece...)
	}
	memory = memory[:max(head.Bytes, 0)]
	if !bytes.Equal(sumOf(memory), head.Sum) {
		return nil, false, errors.New("its checksum is wrong")
	}
	now, _, err := s.Setting(learntSetting)
	return memory, bytes.Equal(sumOf(now), head.Learnt), err
}

// ForgetMemory drops a planner's stored memory and image, for example after other code changed
// pages. The next planner begins with the records of the pages and the lessons of its policy. It is
// durable with the next commit.
func ForgetMemory(s Store) error {
	head, err := json.Marshal(memoryHead{Sum: sumOf(nil)})
	if err == nil {
		err = s.SaveSetting(memorySetting, head)
	}
	return err
}

// forgotten reports whether ForgetMemory was called after the last round.
func forgotten(s Store) (bool, error) {
	value, ok, err := s.Setting(memorySetting)
	if err != nil || !ok {
		return false, err
	}
	var head memoryHead
	err = json.Unmarshal(value, &head)
	return err != nil || len(head.Learnt) == 0, nil
}
