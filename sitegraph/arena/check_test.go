package arena

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"
)

// kept returns a directory with an image of a column and a piece.
func kept(t *testing.T, numbers []uint32) (dir string) {
	t.Helper()
	f := open(t)
	column := Grow(f, []uint32(nil), len(numbers))
	copy(column, numbers)
	f.Put([]byte("a piece"))
	err := f.Keep(nil, false, func(k *Keeping) error {
		k.Column(address(column), 4*len(column))
		_, err := k.Write([]byte("owner"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.dir
}

func numbersTo(n int) (all []uint32) {
	for i := range n {
		all = append(all, uint32(i*i))
	}
	return all
}

func take(t *testing.T, dir string) (*Image, []uint32) {
	t.Helper()
	i, err := TakeImage(dir, func([]byte) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	at, n, ok := i.Column(0, 4)
	if !ok {
		t.Fatal("a column is lost")
	}
	return i, unsafe.Slice((*uint32)(at), n/4)
}

// Parts of an image that were only read leave memory when the files take too much; written parts
// stay.
func TestEaseOfImage(t *testing.T) {
	want := numbersTo(16 << 20 / 4)
	i, column := take(t, kept(t, want))
	defer i.Close()
	if shownBytes() == 0 {
		t.Skip("this system does not tell how much of files is in memory")
	}
	if _, err := os.Stat("/proc/self/pagemap"); err != nil {
		t.Skip("this system does not tell which pages are in memory")
	}
	column = column[:len(want)]
	const apart = 10_007
	for k := 0; k < len(want); k += apart {
		column[k]++
		want[k]++
	}
	if !slices.Equal(column, want) { // all of it is read
		t.Error("the column is not what was written to it")
	}
	shown := shownBytes()
	i.File.Ease()
	if now := shownBytes(); now < shown-1<<20 {
		t.Errorf("%d of %d bytes of files are in memory, and nobody asked for less", now, shown)
	}
	i.File.Watch(1)
	i.File.Ease()
	written := int64(len(want)/apart) * int64(pageSize)
	if left := shown - shownBytes(); left < int64(4*len(want))-written-1<<20 {
		t.Errorf("%d bytes left memory, of %d that were only read", left, 4*len(want))
	}
	if !slices.Equal(column, want) {
		t.Error("what was written to the column is lost")
	}
}

// A column keeps its values, written before or after any step of settling. It grows, and the image
// stays.
func TestSettle(t *testing.T) {
	want := numbersTo(5 * settleStep / 8) // some steps
	dir := kept(t, want)
	for steps := range 5 {
		i, column := take(t, dir)
		column = column[:len(want)]
		if !slices.Equal(column, want) {
			t.Fatalf("after %d steps of another process the image is another one", steps-1)
		}
		changed := slices.Clone(want)
		for step := range steps {
			for k := step; k < len(want); k += 10_007 {
				column[k]++
				changed[k]++
			}
			i.File.Settle()
			if step == 1 {
				i.File.forgetAll()
				column = Grow(i.File, column, 2*len(want))
			}
		}
		if !slices.Equal(column[:len(want)], changed) {
			t.Errorf("after %d steps the column is not what was written to it", steps)
		}
		if left := len(i.File.unsettled); (left == 0) != (steps >= 3) {
			t.Errorf("after %d steps %d columns are left", steps, left)
		}
		i.Close()
	}
	i, column := take(t, dir)
	column[1]++
	if err := i.File.Keep(nil, true, func(k *Keeping) error {
		k.Column(address(column), 4*len(want))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, column = take(t, dir); column[1] != want[1]+1 || column[2] != want[2] {
		t.Error("what was not moved is not in the next image")
	}
}

// checkLate makes all images be checked during their use.
func checkLate(t *testing.T) {
	before := CheckedFirst
	CheckedFirst = 0
	t.Cleanup(func() { CheckedFirst = before })
}

// Damage found during the use of an image is reported, and the next process finds no image. A
// process that died before leaves a mark: then all is checked first.
func TestDamageFoundLate(t *testing.T) {
	checkLate(t)
	want := numbersTo(100_000)
	for _, of := range []string{"-0", "-pieces"} {
		for _, died := range []bool{false, true} {
			dir := kept(t, want)
			i, _ := take(t, dir)
			if err := i.File.Checked(); err != nil {
				t.Fatal(err)
			}
			mark := i.mark()
			i.Close()
			if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
				t.Fatalf("the image was checked, and its mark is there: %v", err)
			}
			names, err := filepath.Glob(filepath.Join(dir, imageName+"-*"+of))
			if err != nil || len(names) != 1 {
				t.Fatal(names, err)
			}
			content, err := os.ReadFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			content[5] ^= 1
			if err := os.WriteFile(names[0], content, 0o600); err != nil {
				t.Fatal(err)
			}
			if died {
				if err := os.WriteFile(mark, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := TakeImage(dir, func([]byte) bool { return true }); err == nil ||
					errors.Is(err, ErrNoImage) {
					t.Errorf("%s is damaged, and a process died of it: %v", of, err)
				}
				continue
			}
			i, _ = take(t, dir)
			var damaged *DamagedError
			if err := i.File.Checked(); !errors.As(err, &damaged) {
				t.Errorf("%s is damaged: %v", of, err)
			}
			if err := i.File.Keep(nil, true, func(*Keeping) error { return nil }); err == nil {
				t.Error("a damaged image is kept again")
			}
			i.Close()
			if _, err := TakeImage(dir, func([]byte) bool { return true }); !errors.Is(err,
				ErrNoImage) {
				t.Errorf("the damaged image is taken again: %v", err)
			}
		}
	}
}

// Giving up an image that is not checked yet leaves it, and its mark.
func TestCheckGivenUp(t *testing.T) {
	checkLate(t)
	dir := kept(t, numbersTo(3*imageStep))
	i, _ := take(t, dir)
	late := i.File.checking
	i.Close()
	if late.err != nil && !errors.Is(late.err, errStopped) {
		t.Error(late.err)
	}
	i, _ = take(t, dir)
	if marked := late.err != nil; marked != (i.File.checking == nil) {
		t.Errorf("the check ended with %v, and then the image was checked at first: %v", late.err,
			i.File.checking == nil)
	}
	if err := i.File.Checked(); err != nil {
		t.Error(err)
	}
	i.Close()
}

// The memory of a closed image may be that of the next one. Nothing of the closed one may release
// it.
func TestClosedImageForgetsNothing(t *testing.T) {
	numbers := numbersTo(1 << 20)
	first, column := take(t, kept(t, numbers[:len(numbers)/2]))
	file := first.File
	Grow(file, column, len(numbers)/2+100)
	dir := kept(t, numbers)
	first.Close()
	second, column := take(t, dir)
	defer second.Close()
	for k := range column {
		column[k] = uint32(k)
	}
	file.most.Store(1) // like a late watch
	file.ease(false)
	file.forgetAll()
	for k, n := range column {
		if n != uint32(k) {
			t.Fatalf("value %d of %d was forgotten", k, len(column))
		}
	}
}

// Once an image is checked, Checked costs nothing.
func TestCheckedIsCheap(t *testing.T) {
	defer func(most int64) { CheckedFirst = most }(CheckedFirst)
	CheckedFirst = 0
	image, _ := take(t, kept(t, numbersTo(1000)))
	defer image.Close()
	if image.File.checking == nil {
		t.Fatal("it is checked beforehand")
	}
	if n := testing.AllocsPerRun(10, func() {
		if err := image.File.Checked(); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
