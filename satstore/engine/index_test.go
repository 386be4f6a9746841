package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// An index that packs and unpacks its chunks always equals a plain array, and so do its images.
func TestIndexAgreesWithArray(t *testing.T) {
	const n = 4*chunkLen + 100
	random := rand.New(rand.NewPCG(1, 2))
	var x index
	want := make([]place, n)
	for i := range want {
		want[i] = nowhere
	}
	set := func(seq int, p place) {
		*x.grow(uint32(seq)) = p
		want[seq] = p
	}
	same := func(when string, get func(seq uint32) place) {
		t.Helper()
		for seq := range want {
			if got := get(uint32(seq)); got != want[seq] {
				t.Fatalf("%s: entry %d is %v, want %v", when, seq, got, want[seq])
			}
		}
	}
	// Chunks have long stretches, short ones, ones with gaps and marks, or none.
	for seq, block, ord := 0, uint32(0), 0; seq < n; seq++ {
		ord++
		switch c := seq / chunkLen; {
		case c == 0 && ord == 50, c == 1 && ord == 6, c == 2 && random.IntN(20) == 0, c == 3:
			block, ord = random.Uint32N(1<<31), random.IntN(100)
		}
		if c := seq / chunkLen; c != 2 || random.IntN(30) > 0 || seq%chunkLen == chunkLen-1 {
			set(seq, makePlace(block, ord, seq%1000 == 7))
		}
	}
	packed := func() string {
		s := ""
		for _, c := range x.chunks {
			s += fmt.Sprint(c.packed != nil, " ")
		}
		return s
	}
	// the third has gaps, the last is not full
	if got := packed(); got != "true true true false false " {
		t.Fatal("chunks packed: ", got)
	}
	if got, most := x.bytes(), int64(3*chunkLen*placeSize+chunkLen*placeSize*2/3); got > most {
		t.Errorf("%d bytes, want at most %d", got, most)
	}
	same("packed", x.get)
	if got := x.get(1 << 31); got != nowhere {
		t.Errorf("an entry behind the end is %v", got)
	}
	done := make(chan struct{})
	image := x.lend(done)
	buf := new(flatChunk)
	inImage := func(seq uint32) place {
		return image[seq>>chunkBits].flatten(buf)[seq&(chunkLen-1)]
	}
	var seqs []uint32
	for seq := range uint32(n) {
		seqs = append(seqs, seq)
	}
	x.touch(seqs)
	before := append([]place{}, want...)
	for range 1000 {
		set(random.IntN(n), makePlace(random.Uint32N(1<<31), random.IntN(maxFrames),
			random.IntN(2) == 0))
	}
	if p := x.own(5); *p != want[5] {
		t.Errorf("entry 5 to be changed is %v, want %v", *p, want[5])
	}
	same("changed", x.get)
	now := want
	for want = before; len(seqs) > 0; seqs = seqs[min(997, len(seqs)):] {
		if got := inImage(seqs[0]); got != want[seqs[0]] {
			t.Fatalf("entry %d of the image became %v, want %v", seqs[0], got, want[seqs[0]])
		}
	}
	want = now
	close(done)
	// in order again: the next chunk that begins packs them
	for seq := range 2 * chunkLen {
		set(seq, makePlace(uint32(seq/100), seq%100, false))
	}
	for c := range x.chunks {
		x.pack(c)
	}
	if got := packed(); got != "true true true false false " &&
		got != "true true false false false " {
		t.Fatal("chunks packed at the end: ", got)
	}
	same("packed again", x.get)
	count := 0
	x.each(func(seq uint32, p place) {
		count++
		if want[seq] != p {
			t.Fatalf("each has %v of %d, want %v", p, seq, want[seq])
		}
	})
	for _, p := range want {
		if p != nowhere {
			count--
		}
	}
	if count != 0 {
		t.Errorf("each has %d entries too many", count)
	}
}

// Records that are put in order take almost no index, before and after reopening. Later changes are
// kept.
func TestIndexOfOrderedRecordsIsSmall(t *testing.T) {
	const n = 2*chunkLen + 1000
	dir, random := t.TempDir(), rand.New(rand.NewPCG(3, 4))
	s := mustOpen(t, dir, Options{})
	body := func(seq uint32, version byte) []byte {
		return []byte{byte(seq), byte(seq >> 8), byte(seq >> 16), version}
	}
	for seq := range uint32(n) {
		must(t, s.Put(seq, 5, body(seq, 0)))
		if seq%50_000 == 0 {
			must(t, s.Commit())
		}
	}
	must(t, s.Checkpoint())
	small := func(when string) {
		t.Helper()
		// The last chunk is flat, and another is kept for the next.
		if got := s.index.bytes(); got > 2*chunkLen*placeSize+n/4 {
			t.Errorf("%s: %d bytes of index for %d records", when, got, n)
		}
	}
	small("put")
	must(t, s.Close())
	s = mustOpen(t, dir, Options{})
	small("opened")
	version := make([]byte, n)
	for range 500 {
		seq := random.Uint32N(n)
		version[seq]++
		must(t, s.Put(seq, 7, body(seq, version[seq])))
	}
	for _, when := range []string{"checkpoint", "let go", "close"} {
		switch when {
		case "checkpoint":
			must(t, s.Checkpoint())
		case "let go": // like a crash
			must(t, s.Put(3, 9, body(3, 200)))
			version[3] = 200
			must(t, s.Commit())
			must(t, s.letGo())
			s = mustOpen(t, dir, Options{})
		default:
			must(t, s.Close())
			s = mustOpen(t, dir, Options{})
		}
		for range 2000 {
			seq := random.Uint32N(n)
			if got, _, ok, err := s.Load(seq, nil); err != nil || !ok ||
				string(got) != string(body(seq, version[seq])) {
				t.Fatalf("after %s record %d is %v, %v, %v; want version %d",
					when, seq, got, ok, err, version[seq])
			}
		}
		if found, err := s.Check(); err != nil || len(found) > 0 || s.Len() != n {
			t.Fatalf("after %s: %d records, %v, %v", when, s.Len(), found, err)
		}
	}
	must(t, s.Close())
}
