package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sealedBlock returns a block of records as on disk, its row in the table, and its frames.
func sealedBlock(rng *rand.Rand, records int) (disk []byte, b block, key slotKey, all [][]byte) {
	disk = make([]byte, blockHeader)
	for i := range records {
		body := make([]byte, rng.IntN(300))
		for j := range body {
			body[j] = byte(rng.Uint32())
		}
		f := frame{flags: moreIf(rng.IntN(4) == 0), seq: uint32(1000 + i), ahead: rng.Int64N(24),
			body: body}
		all = append(all, appendFrame(nil, kindRecords, &f))
		disk = append(disk, all[i]...)
	}
	b = block{off: 8192, kind: kindRecords, count: uint16(records)}
	key = slotKey{1, 9}
	disk = append(disk, sealBlock(disk, nil, 77, &b, key, 3, 5)...)
	b.size = uint32(len(disk))
	return disk, b, key, all
}

// sameBut reports errors in salvaged frames. Only the frames of bad may be missing.
func sameBut(frames []byte, bad []uint16, all [][]byte, mayMiss func(i int) bool) error {
	w := framesOf(frames, kindRecords)
	var f frame
	for i, want := range all {
		if !w.next(&f) {
			return fmt.Errorf("frame %d of %d is not there", i, len(all))
		}
		whole := slices.Equal(w.last(), want)
		switch {
		case whole == slices.Contains(bad, uint16(i)):
			return fmt.Errorf("frame %d is whole: %v, and named as bad: %v", i, whole, !whole)
		case !whole && !mayMiss(i):
			return fmt.Errorf("frame %d is lost", i)
		case !whole && f.flags&flagDead == 0:
			return fmt.Errorf("frame %d is damaged and not dead", i)
		}
	}
	if len(w.rest) > 0 {
		return fmt.Errorf("%d bytes too many", len(w.rest))
	}
	return nil
}

// Any damaged byte of a block costs the record to which it belongs; one of the header none; one of
// the checksums that of its record.
func TestSalvageAtEachByte(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	disk, b, key, all := sealedBlock(rng, 40)
	if frames, bad, ok := blockIn(disk, 77, &b, key, 3); !ok || len(bad) > 0 ||
		sameBut(frames, nil, all, nil) != nil {
		t.Fatal("a whole block is not taken for one")
	}
	owner := make([]int, len(disk)) // by byte: number of the frame, or none
	at := blockHeader
	for i := range blockHeader {
		owner[i] = -1
	}
	for i, f := range all {
		for range f {
			owner[at] = i
			at++
		}
	}
	for ; at < len(disk); at++ {
		owner[at] = (at - len(disk) + sumBytes*len(all)) / sumBytes
	}
	for i := 0; i < len(disk); i += max(places(1)/2, 1) {
		for bit := range 8 {
			disk[i] ^= 1 << bit
			frames, bad, ok := blockIn(disk, 77, &b, key, 3)
			if ok {
				t.Fatalf("bit %d of byte %d: nothing was seen", bit, i)
			}
			if err := sameBut(frames, bad, all, func(n int) bool {
				return n == owner[i]
			}); err != nil || bad == nil {
				t.Fatalf("bit %d of byte %d, of frame %d: %v", bit, i, owner[i], err)
			}
			disk[i] ^= 1 << bit
		}
	}
}

// A damaged stretch costs the records that it touches. A block of another place yields nothing.
func TestSalvageOfStretches(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	disk, b, key, all := sealedBlock(rng, 60)
	end := len(disk) - sumBytes*len(all)
	for range 300 {
		from := blockHeader + rng.IntN(end-blockHeader)
		to := min(from+1+rng.IntN(2000), end)
		broken := slices.Clone(disk)
		for i := from; i < to; i++ {
			broken[i] = byte(rng.Uint32())
		}
		touched := func(i int) bool {
			start := blockHeader
			for _, f := range all[:i] {
				start += len(f)
			}
			return start < to && start+len(all[i]) > from
		}
		frames, bad, ok := blockIn(broken, 77, &b, key, 3)
		if ok != slices.Equal(broken, disk) {
			t.Fatalf("bytes %d to %d: whole: %v", from, to, ok)
		}
		if err := sameBut(frames, bad, all, touched); err != nil {
			t.Fatalf("bytes %d to %d: %v", from, to, err)
		}
	}
	for name, where := range map[string]struct {
		seed, file uint32
		off        int64
		key        slotKey
	}{"store": {78, 3, 8192, key}, "file": {77, 4, 8192, key}, "offset": {77, 3, 8208, key},
		"slot": {77, 3, 8192, slotKey{1, 10}}} {
		other := b
		other.off = where.off
		if frames, _, ok := blockIn(disk, where.seed, &other, where.key, where.file); ok ||
			frames != nil {
			t.Errorf("a block of another %s is believed", name)
		}
	}
}

// If a record contains the bytes of the next one and its length is damaged, only that record is
// lost.
func TestSalvageOfFrameInFrame(t *testing.T) {
	add := func(seq uint32, body []byte) []byte {
		return appendFrame(nil, kindRecords, &frame{seq: seq, ahead: 1, body: body})
	}
	next := add(2, []byte("second"))
	all := [][]byte{add(1, slices.Concat([]byte("first "), next, []byte(" and more of it"))), next,
		add(3, []byte("third")), add(4, []byte("fourth"))}
	disk := slices.Concat(append([][]byte{make([]byte, blockHeader)}, all...)...)
	b, key := block{off: 8192, kind: kindRecords, count: 4}, slotKey{1, 9}
	disk = append(disk, sealBlock(disk, nil, 77, &b, key, 3, 5)...)
	b.size = uint32(len(disk))
	disk[blockHeader] ^= 0x80
	frames, bad, ok := blockIn(disk, 77, &b, key, 3)
	if err := sameBut(frames, bad, all, func(i int) bool { return i == 0 }); ok || err != nil ||
		!slices.Equal(bad, []uint16{0}) {
		t.Errorf("whole: %v; lost %v; %v", ok, bad, err)
	}
}

// One damaged byte of a large store costs one record: the others in its block are handed out.
func TestDamageCostsOneRecord(t *testing.T) {
	for _, advance := range []bool{false, true} {
		fs := vfs.NewMem()
		s := mustOpen(t, storeDir, Options{FS: fs, Levels: HoursAndDays})
		for i := range uint32(200) {
			must(t, s.Put(i, 5, fmt.Appendf(nil, "record %d with some more bytes", i)))
		}
		must(t, s.Checkpoint())
		p := s.index.get(17)
		b := s.blocks[p.block()]
		if b.count < 10 {
			t.Fatalf("the block has %d records only", b.count)
		}
		path := s.pathTo(&b)
		must(t, s.Close())
		data := readAll(t, fs, path)
		w := framesOf(data[b.off+blockHeader:], kindRecords)
		var f frame
		for w.next(&f) && w.ord < p.frame() {
		}
		data[int(b.off)+blockHeader+w.end-3] ^= 4
		writeAll(t, fs, path, data)
		s = mustOpen(t, storeDir, Options{FS: fs})
		found, err := s.Check()
		must(t, err)
		if len(found) != 1 || found[0].Path != path || found[0].Offset != b.off ||
			!slices.Equal(found[0].Seqs, []uint32{17}) {
			t.Fatalf("check finds %v", found)
		}
		if advance {
			got := 0
			must(t, s.Advance(5, func(r *Record) (int64, []byte) { got++; return 9, r.Body }))
			must(t, s.Commit())
			if got != 199 || s.Has(17) {
				t.Errorf("%d records are handed out; the damaged one is there: %v", got, s.Has(17))
			}
		} else {
			for i := range uint32(200) {
				_, _, ok, err := s.Load(i, nil)
				if ok == (i == 17) || isDamage(err) != (i == 17) {
					t.Errorf("load %d: %v, %v", i, ok, err)
				}
			}
			if n := s.damage.count; n != 1 {
				t.Errorf("one damage is noted %d times", n)
			}
			must(t, s.Put(17, 6, []byte("anew")))
			must(t, s.Commit())
		}
		must(t, s.Close())
	}
}

// A copy of a store without one run file also lacks it, and reports it.
func TestCopyWithoutARunFile(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, storeDir, Options{FS: fs, Levels: HoursAndDays})
	for i := range uint32(50) {
		must(t, s.Put(i, 5+int64(i%2)*400, []byte("a record"))) // a near and a far file
	}
	must(t, s.Checkpoint())
	var lost string
	for _, f := range s.files.all {
		if f != nil && f.blocks > 0 {
			lost = s.files.path(f.number)
		}
	}
	must(t, s.Close())
	must(t, fs.Remove(lost))
	s = mustOpen(t, storeDir, Options{FS: fs})
	must(t, s.CopyTo("copy"))
	must(t, s.Close())
	c := mustOpen(t, "copy", Options{FS: fs})
	defer c.Close()
	if d := c.Damage(); len(d) == 0 || fs.PathBase(d[0].Path) != fs.PathBase(lost) {
		t.Errorf("the copy says %v of the file %s that it lacks", d, lost)
	}
	whole := 0
	for i := range uint32(50) {
		if _, _, ok, err := c.Load(i, nil); ok {
			whole++
		} else if !isDamage(err) {
			t.Errorf("load %d: %v", i, err)
		}
	}
	if whole == 0 || whole == 50 {
		t.Errorf("%d of 50 records are whole", whole)
	}
}
