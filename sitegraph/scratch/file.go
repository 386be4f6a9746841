package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unsafe"
)

// File is a scratch file, and one more for each column. The nil File keeps nothing.
type File struct {
	file  *os.File
	tail  []byte // the window that is being filled, as far as it is free
	at    int64  // where that begins in the file
	size  int64
	shown [][]byte        // all windows
	free  map[int][]Piece // by size
	freed []Piece         // since the last Release
	dir   string
	id    string // of the image whose files these are; "": of none
	// By the address at which they begin.
	columns map[unsafe.Pointer]*column
	watched bool
	mu      sync.Mutex // guards what the watch reads: shown, columns, and their sizes
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

// names is the pattern of the names that files have until they are unlinked.
const names = "scratch-*"

// Open makes a scratch file in an existing directory that no other process uses. A file that a
// process left there because it died before it had unlinked it is removed. Where files cannot be
// mapped into memory, and for "", Open returns nil.
func Open(dir string) (*File, error) {
	if !canShow || dir == "" {
		return nil, nil
	}
	// What is not found or removed costs nothing: such a file is empty.
	left, _ := filepath.Glob(filepath.Join(dir, names))
	for _, name := range left {
		_ = os.Remove(name)
	}
	f, err := unnamed(dir)
	if err != nil {
		return nil, err
	}
	return &File{file: f, dir: dir, free: map[int][]Piece{}, columns: map[unsafe.Pointer]*column{}}, nil
}

// unnamed makes a file that is unlinked at once.
func unnamed(dir string) (*os.File, error) {
	if f, err := nameless(dir); err == nil {
		return f, nil
	}
	f, err := os.CreateTemp(dir, names)
	if err != nil {
		return nil, fmt.Errorf("make a scratch file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("unlink a scratch file: %w", err), f.Close())
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
	f.mu.Lock()
	f.shown = append(f.shown, window)
	f.mu.Unlock()
	f.tail, f.at = window, f.size
	f.size += int64(size)
	return true
}

// Free says that a piece is not read after the next Release.
func (f *File) Free(p Piece) {
	if f != nil && len(p.room) > 0 {
		f.freed = append(f.freed, p)
	}
}

// Release makes the room of what was freed ready for use, and gives the memory of all that was read
// back to the system, which maps it again when it is read.
func (f *File) Release() {
	if f == nil {
		return
	}
	for _, p := range f.freed {
		f.free[len(p.room)] = append(f.free[len(p.room)], p)
	}
	f.freed = f.freed[:0]
	f.forgetAll()
}

// forgetAll gives the memory of all that was read or written back to the system. Others may read
// and write meanwhile.
func (f *File) forgetAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, window := range f.shown {
		forget(window)
	}
	for _, c := range f.columns {
		forget(c.room[:c.bytes])
	}
}

const (
	// mostShown is how many bytes of files may be in the memory of the process before they are
	// forgotten.
	mostShown = 512 << 20
	// watchEvery is how often that is looked at. To look takes some microseconds.
	watchEvery = 20 * time.Millisecond
)

// Watch keeps the memory that the files take at about 512 MiB from now on, until the process ends:
// a value that is read brings its neighbours with it, 64 KiB on Linux, so that a few visits touch
// much of the files. Where memory is short the system does the same by itself.
func (f *File) Watch() {
	if f == nil || f.watched || shownBytes() == 0 {
		return
	}
	f.watched = true
	go func() {
		for range time.Tick(watchEvery) {
			f.Ease()
		}
	}()
}

// Ease does at once what Watch does from time to time, once Watch was called. Who reads a large
// part of the files calls it after each few megabytes: a busy machine may let the watch wait.
// Several goroutines may call it, and others read and write meanwhile.
func (f *File) Ease() {
	if f != nil && f.watched && shownBytes() > mostShown {
		f.forgetAll()
	}
}
