package arena

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// An image has the kept data, whatever its files were used for since. The File made from it
// continues: columns grow, pieces come and go, and it is kept again.
func TestImages(t *testing.T) {
	f := open(t)
	all := func([]byte) bool { return true }
	for round, last := range []bool{false, true, true, false} {
		var numbers []uint32
		number := -1
		for i := range 50_000 {
			numbers = Append(f, numbers, uint32(i*i))
		}
		kept, _ := f.Put([]byte("a piece"))
		gone, _ := f.Put([]byte("another one"))
		f.Free(gone)
		place, ok := f.Place(unsafe.Pointer(unsafe.SliceData(kept.Bytes)))
		if !ok {
			t.Fatal("a piece has no place")
		}
		err := f.Keep([]byte("note"), last, func(k *Keeping) error {
			number, ok = k.Column(unsafe.Pointer(unsafe.SliceData(numbers)), 4*len(numbers))
			if _, found := k.Column(unsafe.Pointer(&round), 8); found || !ok {
				t.Error("a column is not known, or what is none")
			}
			_, err := k.Write([]byte("what the owner knows"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !last {
			numbers[7] = 1 // not in the image
		}
		if _, err := TakeImage(f.dir, func(note []byte) bool {
			return string(note) != "note"
		}); !errors.Is(err, ErrNoImage) {
			t.Fatalf("an image that nobody wants: %v", err)
		}
		i, err := TakeImage(f.dir, all)
		if err != nil {
			t.Fatal(err)
		}
		if string(i.Owner) != "what the owner knows" {
			t.Errorf("the owner knows %q", i.Owner)
		}
		at, n, ok := i.Column(number, 4)
		if _, _, found := i.Column(number, 8); !ok || found || n < 4*len(numbers) {
			t.Fatal("a column is lost, or has values of another size")
		}
		again := unsafe.Slice((*uint32)(at), n/4)[:len(numbers)]
		numbers[7] = 49
		if !slices.Equal(again, numbers) {
			t.Errorf("round %d: a column is not what was kept", round)
		}
		if again = Grow(i.File, again, 2*len(again)); again[len(numbers)] != 0 ||
			again[len(numbers)-1] != numbers[len(numbers)-1] {
			t.Error("a column does not grow")
		}
		if p, ok := i.File.At(place, len(kept.Bytes)); !ok || !bytes.Equal(p.Bytes, kept.Bytes) {
			t.Error("a piece is lost")
		}
		if p, ok := i.File.Put([]byte("a third one")); !ok || p.at != gone.at {
			t.Error("the room of a piece that was freed is not used again")
		}
		f = i.File
	}
}

// A process that dies leaves its image unchanged, whatever it wrote since: the next process takes
// it again.
func TestImageOutlivesProcesses(t *testing.T) {
	f := open(t)
	numbers := Grow(f, []uint32(nil), 3*imageStep/4)
	for i := range numbers {
		numbers[i] = uint32(i * i)
	}
	kept, _ := f.Put(bytes.Repeat([]byte("piece "), 1000))
	gone, _ := f.Put(make([]byte, 100_000))
	f.Free(gone)
	number := 0
	keep := func(f *File, numbers []uint32) {
		t.Helper()
		err := f.Keep(nil, false, func(k *Keeping) error {
			number, _ = k.Column(address(numbers), 4*len(numbers))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	take := func() (*File, []uint32, Piece) {
		t.Helper()
		i, err := TakeImage(f.dir, func([]byte) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		at, n, _ := i.Column(number, 4)
		again := unsafe.Slice((*uint32)(at), n/4)[:len(numbers)]
		p, ok := i.File.At(kept.at, len(kept.Bytes))
		if !ok || !bytes.Equal(p.Bytes, kept.Bytes) || !slices.Equal(again, numbers) {
			t.Fatal("the image is not what was kept")
		}
		return i.File, again, p
	}
	keep(f, numbers)
	for range 3 {
		file, column, piece := take()
		for i := range column {
			column[i]++
		}
		Grow(file, column, 2*len(column))
		if p, ok := file.Put(make([]byte, 100_000)); !ok || p.at != gone.at {
			t.Error("room that the image does not need is not used")
		}
		for range 40 {
			file.Put(bytes.Repeat([]byte("other "), 1_000_000)) // begins another window
		}
		file.Free(piece)
		file.Release()
		if p, ok := file.Put(make([]byte, len(kept.Bytes))); !ok || p.at == kept.at {
			t.Error("the room of a piece that the image needs is used")
		}
	}
	file, column, piece := take()
	column[0], numbers[0] = 5, 5
	file.Free(piece)
	file.Release()
	other, _ := file.Put(bytes.Repeat([]byte("PIECE "), 1000))
	kept = other
	keep(file, column) // now no image has the first piece
	if p, ok := file.Put(make([]byte, len(piece.Bytes))); !ok || p.at != piece.at {
		t.Error("the room of a piece that no image needs is not used again")
	}
	take()
}

// Without room for copies the files of the image are used up.
func TestImageOnFullDisk(t *testing.T) {
	f := open(t)
	numbers := Grow(f, []uint32(nil), 100_000)
	numbers[9] = 7
	err := f.Keep(nil, false, func(k *Keeping) error {
		k.Column(address(numbers), 4*len(numbers))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	roomForCopy = func(*os.File, int, int) error { return syscall.ENOSPC }
	defer func() { roomForCopy = allocate }()
	i, err := TakeImage(f.dir, func([]byte) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if at, _, ok := i.Column(0, 4); !ok || unsafe.Slice((*uint32)(at), 10)[9] != 7 {
		t.Error("a column is lost")
	}
	if _, err := TakeImage(f.dir, func([]byte) bool { return true }); !errors.Is(err, ErrNoImage) {
		t.Errorf("an image that is used up is taken again: %v", err)
	}
}

// An image with one wrong byte is refused, and stays as it is.
func TestDamagedImage(t *testing.T) {
	f := open(t)
	numbers := Grow(f, []uint16(nil), 9000)
	numbers[8999] = 7
	f.Put([]byte("a piece"))
	err := f.Keep(nil, true, func(k *Keeping) error {
		k.Column(unsafe.Pointer(unsafe.SliceData(numbers)), 2*len(numbers))
		_, err := k.Write([]byte("owner"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(f.dir, imageName+"*"))
	if len(names) != 3 {
		t.Fatal(names)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, len("owner"), min(17_999, len(content)-1)} {
			if strings.HasSuffix(name, "-pieces") && at >= unit {
				continue // no piece there yet
			}
			damaged := slices.Clone(content)
			damaged[at] ^= 0x10
			if err := os.WriteFile(name, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := TakeImage(f.dir, func([]byte) bool { return true }); err == nil ||
				errors.Is(err, ErrNoImage) {
				t.Errorf("byte %d of %s is wrong: %v", at, filepath.Base(name), err)
			}
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := TakeImage(f.dir, func([]byte) bool { return true }); err != nil {
		t.Error("it is whole again:", err)
	}
}

// Any head is accepted or refused.
func FuzzImageHead(f *testing.F) {
	f.Add([]byte(imageMagic + "{}"))
	f.Fuzz(func(t *testing.T, head []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, imageName), head, 0o600); err != nil {
			t.Fatal(err)
		}
		if i, err := TakeImage(dir, func([]byte) bool { return true }); (i == nil) == (err == nil) {
			t.Error("neither taken nor refused")
		}
	})
}
