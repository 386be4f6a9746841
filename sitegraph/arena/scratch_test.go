package arena

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func open(t *testing.T) *File {
	t.Helper()
	dir := t.TempDir()
	// of a process that died
	if err := os.WriteFile(filepath.Join(dir, "scratch-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f == nil {
		t.Skip("this system shows no files as memory")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Fatalf("%v is left in the directory, %v", left, err)
	}
	return f
}

// Pieces stay unchanged over many Releases until they are freed; their room is reused.
func TestPieces(t *testing.T) {
	f := open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	type kept struct {
		piece Piece
		want  []byte
	}
	var all []kept
	for round := range 60 {
		for range 40 {
			b := make([]byte, 1+rng.IntN(1<<(4+rng.IntN(12))))
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			p, ok := f.Put(b)
			if !ok {
				t.Fatal("no room")
			}
			all = append(all, kept{p, b})
		}
		for range 35 {
			i := rng.IntN(len(all))
			f.Free(all[i].piece)
			if !bytes.Equal(all[i].piece.Bytes, all[i].want) {
				t.Fatalf("round %d: a piece that was freed changed before Release", round)
			}
			all[i] = all[len(all)-1]
			all = all[:len(all)-1]
		}
		f.Release()
		for _, k := range all {
			if !bytes.Equal(k.piece.Bytes, k.want) {
				t.Fatalf("round %d: a piece of %d bytes is not what was put", round, len(k.want))
			}
		}
	}
	if big, ok := f.Put(make([]byte, windowSize+1)); !ok || len(big.Bytes) != windowSize+1 {
		t.Error("no room for a piece that is longer than a window")
	}
	before := f.size
	for range 1000 {
		p, _ := f.Put(make([]byte, 5000))
		f.Free(p)
		f.Release()
	}
	if f.size != before {
		t.Errorf("1,000 pieces, one after the other, took %d bytes", f.size-before)
	}
}

// A column keeps its values and its address while it grows, and new values are zero.
func TestColumns(t *testing.T) {
	f := open(t)
	type value struct {
		a uint32
		b [3]uint16
	}
	var s []value
	var single []uint64
	want := map[int]value{}
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 0; n < 300_000; n += 1 + rng.IntN(20_000) {
		s = Grow(f, s, n)
		single = Append(f, single, uint64(n))
		for range min(n, 100) {
			i := rng.IntN(n)
			want[i] = value{rng.Uint32(), [3]uint16{uint16(n)}}
			s[i] = want[i]
		}
		f.Release()
		if len(s) != n {
			t.Fatalf("%d values, not %d", len(s), n)
		}
	}
	for i, v := range s {
		if v != want[i] {
			t.Fatalf("value %d is %v, want %v", i, v, want[i])
		}
	}
	if len(f.columns) != 2 {
		t.Errorf("%d columns, not 2", len(f.columns))
	}
	if single[len(single)-1] != uint64(len(s)) {
		t.Errorf("appended %d, want %d", single[len(single)-1], len(s))
	}
	defer func() {
		if recover() == nil {
			t.Error("a column of values with pointers is made")
		}
	}()
	Grow[*int](f, nil, 1)
}

// Without a file all is in memory.
func TestWithoutFile(t *testing.T) {
	var none *File
	if _, ok := none.Put([]byte("text")); ok {
		t.Error("no file has room")
	}
	none.Free(Piece{})
	none.Release()
	var s []int
	for i := range 5000 {
		s = Append(none, s, i)
		if len(s) != i+1 || s[i/2] != i/2 {
			t.Fatalf("value %d of %d is wrong", i/2, len(s))
		}
	}
	if s = Grow(none, s, 9000); len(s) != 9000 || s[4999] != 4999 || s[8999] != 0 ||
		cap(s) > 11_000 {
		t.Errorf("%d values in room for %d", len(s), cap(s))
	}
}

// A full disk, here a limit of the size of files, costs memory and no values.
func TestFullDisk(t *testing.T) {
	f := open(t)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Skip(err)
	}
	s := Grow(f, []uint64(nil), 1000)
	for i := range s {
		s[i] = uint64(i)
	}
	kept, ok := f.Put([]byte("kept"))
	if !ok {
		t.Fatal("no room")
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE,
		&unix.Rlimit{Cur: 1 << 20, Max: before.Max}); err != nil {
		t.Skip(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_FSIZE, &before)
	s = Grow(f, s, 1<<20)
	refused := false
	for range 2 * windowSize >> 20 {
		_, ok := f.Put(make([]byte, 1<<20))
		refused = refused || !ok
	}
	if !refused {
		t.Error("two windows were put into a file of 1 MiB")
	}
	for i, v := range s[:1000] {
		if v != uint64(i) {
			t.Fatalf("value %d is %d", i, v)
		}
	}
	if s = Append(f, s, 7); s[1<<20] != 7 || s[999] != 999 || string(kept.Bytes) != "kept" {
		t.Error("values are lost")
	}
}

// A bounded part of watched files stays in memory, and no value is lost while one goroutine writes
// and another releases.
func TestLargeFilesLeaveMemory(t *testing.T) {
	f := open(t)
	if shownBytes() == 0 {
		t.Skip("this system does not tell how much of files is in memory")
	}
	const values = 48 << 20 // 384 MiB
	const mostShown = 256 << 20
	f.Watch(mostShown)
	s := Grow(f, []uint64(nil), values)
	for i := range s {
		s[i] = uint64(i)
	}
	for begun := time.Now(); shownBytes() > mostShown; time.Sleep(watchEvery) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("%d MiB of files stay in memory", shownBytes()>>20)
		}
	}
	for i := range s {
		if s[i] != uint64(i) {
			t.Fatalf("value %d is %d", i, s[i])
		}
	}
}

// If the system allows it, reading a value of a watched file loads its own page and no neighbours,
// in parts from before the watch and after it.
func TestSinglePages(t *testing.T) {
	f := open(t)
	if shownBytes() == 0 {
		t.Skip("this system does not tell how much of files is in memory")
	}
	const values, apart = 256, 64 << 10
	before := Grow(f, []byte(nil), values*apart)
	f.Watch(math.MaxInt64)
	if !f.singly {
		t.Skip("this system cannot be told to map single pages")
	}
	after := Grow(f, []byte(nil), values*apart)
	for _, column := range [][]byte{before, after} {
		for i := range column {
			column[i] = 1
		}
		f.forgetAll()
		shown, sum := shownBytes(), 0
		for i := 0; i < len(column); i += apart {
			sum += int(column[i])
		}
		if came := shownBytes() - shown; sum != values || came < values*int64(pageSize)/2 ||
			came > values*apart/4 {
			t.Errorf("%d values of %d that lie %d bytes apart brought %d bytes into memory",
				sum, values, apart, came)
		}
	}
}
