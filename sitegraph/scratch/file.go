package scratch

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"
)

// File is a scratch file. The nil File has no room.
type File struct {
	file  *os.File
	tail  []byte // the window that is being filled, as far as it is free
	at    int64  // where that begins in the file
	size  int64
	shown [][]byte        // all windows
	free  map[int][]Piece // by size
	freed []Piece         // since the last Rest
	dir   string
	// By the address at which they begin.
	columns map[unsafe.Pointer]*column
}

// Piece is what Put keeps. Its bytes are read-only: a write to them ends the process.
type Piece struct {
	Bytes []byte
	room  []byte // the piece with what is left free behind it
	at    int64
}

const (
	// windowSize is how much of the file is shown at once: the system bounds the number of
	// windows. A longer piece gets one of several times the size.
	windowSize = 64 << 20
	// unit is what the size of a piece is a multiple of: so numbers in it lie as they must, and the
	// room of one suits others.
	unit = 64
)

// names are those that files have before they are taken from them.
const names = "scratch-*"

// Open makes a scratch file in a directory, which must be there and in no use by another process.
// Names that a process left behind which died in Open are removed. Where the system shows no files
// as memory, and for "", it returns nil.
func Open(dir string) (*File, error) {
	if !canShow || dir == "" {
		return nil, nil
	}
	left, _ := filepath.Glob(filepath.Join(dir, names)) // the pattern is well formed, but for dir
	for _, name := range left {
		_ = os.Remove(name) // what cannot be removed is empty
	}
	f, err := unnamed(dir)
	if err != nil {
		return nil, err
	}
	return &File{file: f, dir: dir, free: map[int][]Piece{}, columns: map[unsafe.Pointer]*column{}}, nil
}

// unnamed makes a file that no other process finds.
func unnamed(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, names)
	if err != nil {
		return nil, fmt.Errorf("make a scratch file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, fmt.Errorf("take the name from a scratch file: %w", err)
	}
	return f, nil
}

// Put keeps a copy of b. False: there is no room.
func (f *File) Put(b []byte) (p Piece, ok bool) {
	if f == nil || len(b) == 0 {
		return Piece{}, false
	}
	if p, ok = f.take((len(b) + unit - 1) / unit * unit); !ok {
		return Piece{}, false
	}
	if _, err := f.file.WriteAt(b, p.at); err != nil {
		f.free[len(p.room)] = append(f.free[len(p.room)], p)
		return Piece{}, false
	}
	p.Bytes = p.room[:len(b):len(b)]
	return p, true
}

// take finds room of a size.
func (f *File) take(size int) (p Piece, ok bool) {
	if same := f.free[size]; len(same) > 0 {
		p = same[len(same)-1]
		f.free[size] = same[:len(same)-1]
		return p, true
	}
	if len(f.tail) < size && !f.grow((size+windowSize-1)/windowSize*windowSize) {
		return Piece{}, false
	}
	p = Piece{room: f.tail[:size:size], at: f.at}
	f.tail, f.at = f.tail[size:], f.at+int64(size)
	return p, true
}

// grow adds a window to the file. What was left of the one before is not used.
func (f *File) grow(size int) bool {
	if f.file.Truncate(f.size+int64(size)) != nil {
		return false
	}
	window, err := show(f.file, f.size, size)
	if err != nil {
		return false
	}
	f.shown = append(f.shown, window)
	f.tail, f.at = window, f.size
	f.size += int64(size)
	return true
}

// Free says that a piece is not looked at after the next Rest.
func (f *File) Free(p Piece) {
	if f != nil && len(p.room) > 0 {
		f.freed = append(f.freed, p)
	}
}

// Rest gives back the memory of all that was looked at, and the room of what was freed.
func (f *File) Rest() {
	if f == nil {
		return
	}
	for _, p := range f.freed {
		f.free[len(p.room)] = append(f.free[len(p.room)], p)
	}
	f.freed = f.freed[:0]
	for _, window := range f.shown {
		forget(window)
	}
	for _, c := range f.columns {
		forget(c.room[:c.bytes])
	}
}

// RestAbove rests if the process has more bytes of files in memory than most, where the system
// tells.
func (f *File) RestAbove(most int64) {
	if f != nil && shownBytes() > most {
		f.Rest()
	}
}

// Size is how long the file is with those of columns, in bytes; parts of it may take no room on
// disk.
func (f *File) Size() int64 {
	if f == nil {
		return 0
	}
	size := f.size
	for _, c := range f.columns {
		size += int64(c.bytes)
	}
	return size
}
