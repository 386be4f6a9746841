package engine

import (
	"encoding/binary"
	"testing"
)

func TestLentIndexStaysAsItWas(t *testing.T) {
	const n = 3 * chunkLen
	var x index
	for seq := range uint32(n) {
		*x.grow(seq) = makePlace(seq, 1, false)
	}
	done := make(chan struct{})
	image := x.lend(done)
	for seq := uint32(0); seq < n; seq += 2 {
		*x.own(seq) = nowhere
	}
	*x.grow(n) = makePlace(n, 1, false) // a new chunk
	for seq := range uint32(n) {
		if p := image[seq>>chunkBits].flat[seq&(chunkLen-1)]; p != makePlace(seq, 1, false) {
			t.Fatalf("entry %d of the image became %v", seq, p)
		}
		if want := seq%2 == 1; (x.get(seq) != nowhere) != want {
			t.Fatalf("entry %d of the index is %v", seq, x.get(seq))
		}
	}
	// Once the image is written, nothing is copied.
	image = x.lend(done)
	close(done)
	*x.own(1) = nowhere
	if x.chunks[0].flat != image[0].flat {
		t.Error("a chunk was copied for an image that was written")
	}
}

// TestCheckpointsBeside reopens commits made while index files were being written, on files of the
// system: only there both happen at once.
func TestCheckpointsBeside(t *testing.T) {
	dir := t.TempDir()
	o := Options{LogBytes: 1, PartBytes: 1 << 10}
	s := mustOpen(t, dir, o)
	const n, units = 2000, 300
	body := make([]byte, 8)
	for seq := range uint32(n) {
		must(t, s.Put(seq, 1+int64(seq%50), body))
	}
	visits := map[uint32]uint64{}
	for unit := int64(1); unit <= units; unit++ {
		must(t, s.Advance(unit, func(r *Record) (int64, []byte) {
			visits[r.Seq]++
			binary.LittleEndian.PutUint64(r.Body, visits[r.Seq])
			return unit + 1 + int64(r.Seq)%70, r.Body
		}))
		must(t, s.Commit())
	}
	if s.indexNo < 5 {
		t.Fatalf("%d checkpoints: want more", s.indexNo)
	}
	for _, step := range []string{"let go", "close"} {
		if step == "let go" { // like a crash
			must(t, s.letGo())
		} else {
			must(t, s.Close())
		}
		s = mustOpen(t, dir, o)
		if s.Len() != n {
			t.Fatalf("%d records after %s, want %d", s.Len(), step, n)
		}
		for seq := range uint32(n) {
			got, _, ok, err := s.Load(seq, nil)
			if err != nil || !ok || binary.LittleEndian.Uint64(got) != visits[seq] {
				t.Fatalf("record %d after %s: %x, %v, %v; want %d",
					seq, step, got, ok, err, visits[seq])
			}
		}
	}
	must(t, s.Close())
}
