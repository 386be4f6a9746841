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

// The planner's memory is kept in pieces: of many pages a round changes few, and a piece that did
// not change is not written again. The first setting says what the pieces are together.
const (
	memorySetting = "policy/memory"
	memoryPiece   = 64 << 10
)

// memoryHead is what memorySetting says.
type memoryHead struct {
	Bytes  int    `json:"bytes"`
	Sum    []byte `json:"sum"`    // SHA-256
	Learnt []byte `json:"learnt"` // of what the policy had learnt then, as it was kept beside it
	Packed string `json:"packed"` // how the pieces are compressed
}

// packing names how pieces are compressed: until the commit all that changed is in memory several
// times, and of many servers without visits there is little to say.
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

// saveMemory keeps what the planner has in memory. It is durable with the next commit, as a whole.
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
		return l.storeError(err, "read what the policy has learnt")
	}
	kept.Learnt = sumOf(learnt)
	head, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := l.Store.SaveSetting(memorySetting, head); err != nil {
		return l.storeError(err, "keep what the planner has in memory")
	}
	return nil
}

// memoryWriter keeps what is written in pieces, so that it is never in memory as a whole.
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

// flush keeps the piece that is under way, unless it is the one that is kept.
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
		return l.storeError(err, "keep what the planner has in memory")
	}
	if i == len(l.pieces) {
		l.pieces = append(l.pieces, sum)
	}
	l.pieces[i] = sum
	k.piece = k.piece[:0]
	return nil
}

// RecallAll gives a planner and its policy what was kept of their memory, and what the policy had
// learnt. It goes before the first round. build makes the planner, again where its memory is of no
// use: damaged, of another version of the program, or of other settings. Then the policy begins
// anew with what it had learnt. why is not nil where something could not be read.
func RecallAll(s Store, build func() (*planner.Planner, error)) (
	p *planner.Planner, why, err error) {
	if p, err = build(); err != nil {
		return nil, nil, err
	}
	memory, learnt, err := readMemory(s)
	if err != nil {
		why = fmt.Errorf("read what the planner had in memory: %w", err)
	}
	if len(memory) > 0 {
		exact, err := p.Recollect(memory)
		if err == nil && exact && learnt {
			return p, nil, nil
		}
		if err != nil {
			if !errors.Is(err, state.ErrForm) && !errors.Is(err, state.ErrSettings) {
				why = fmt.Errorf("take in what the planner had in memory: %w", err)
			}
			if p, err = build(); err != nil {
				return nil, nil, err
			}
		}
	}
	return p, errors.Join(why, RecallLearnt(s, p.Policy)), nil
}

// readMemory returns what was kept; nothing if nothing was. learnt: what the policy had learnt is
// still what it was then.
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
		return nil, false, errors.New("its sum is wrong")
	}
	now, _, err := s.Setting(learntSetting)
	return memory, bytes.Equal(sumOf(now), head.Learnt), err
}

// ForgetMemory drops what was kept of a planner's memory, and its image, for example after pages
// were changed behind its back. The next planner begins with the records of the pages and what its
// policy had learnt. It is durable with the next commit.
func ForgetMemory(s Store) error {
	head, err := json.Marshal(memoryHead{Sum: sumOf(nil)})
	if err == nil {
		err = s.SaveSetting(memorySetting, head)
	}
	return err
}

// forgotten reports whether ForgetMemory came after the last round.
func forgotten(s Store) (bool, error) {
	value, ok, err := s.Setting(memorySetting)
	if err != nil || !ok {
		return false, err
	}
	var head memoryHead
	err = json.Unmarshal(value, &head)
	return err != nil || len(head.Learnt) == 0, nil
}
