package arena

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"unsafe"
)

// File is a scratch file, and one more for each column. The nil File keeps nothing.
type File struct {
	file     *os.File
	tail     []byte // the free part of the window being filled
	at       int64  // its offset in the file
	size     int64
	shown    [][]byte        // all windows
	free     map[int][]Piece // by size
	freed    []Piece         // since the last Release
	held     []Piece         // freed, but still in the image
	imaged   bool            // there is an image of the file
	checking *checking       // of the file's image; nil: it is checked
	// unsettled has the columns with parts that are still mapped from the image.
	unsettled []*column
	dir       string
	// columns has the columns by their first address.
	columns map[unsafe.Pointer]*column
	most    atomic.Int64 // bytes of files that may be in memory; 0: any number
	place   atomic.Int64 // bytes loaded with a value; 0: there is no watch
	// singly is set if the kernel maps one page a fault, so that random reads keep little in
	// memory.
	singly bool
	apart  bool       // values are read far apart: see Apart
	mu     sync.Mutex // guards shown, columns and their sizes for the watch
}

// Piece is what Put keeps. Its bytes are read-only: writing to them ends the process.
type Piece struct {
	Bytes []byte
	room  []byte // the piece with the free rest after it
	at    int64
}

const (
	// windowSize is how much of the file one window maps, since the system bounds their number. A
	// longer piece gets a window of a multiple of the size.
	windowSize = 64 << 20
	// unit divides the sizes of all pieces. So numbers in them are aligned, and the room of one
	// fits others.
	unit = 64
)

// names is the pattern of the names that files have until they are unlinked.
const names = "scratch-*"

// Open makes a scratch file in an existing directory that no other process uses. It removes files
// of processes that died before unlinking them. If files cannot be mapped into memory, and for "",
// Open returns nil.
func Open(dir string) (*File, error) {
	if !canShow || dir == "" {
		return nil, nil
	}
	// A file that is not found or removed costs nothing, since it is empty.
	left, _ := filepath.Glob(filepath.Join(dir, names))
	for _, name := range left {
		_ = os.Remove(name)
	}
	f, err := unnamed(dir)
	if err != nil {
		return nil, err
	}
	return &File{file: f, dir: dir, free: map[int][]Piece{}, columns: map[unsafe.Pointer]*column{}},
		nil
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

// Put keeps a copy of b; false: there is no room.
func (f *File) Put(b []byte) (p Piece, ok bool) {
	if f == nil || len(b) == 0 {
		return Piece{}, false
	}
	if p, ok = f.allocate((len(b) + unit - 1) / unit * unit); !ok {
		return Piece{}, false
	}
	if _, err := f.file.WriteAt(b, p.at); err != nil {
		f.free[len(p.room)] = append(f.free[len(p.room)], p)
		return Piece{}, false
	}
	p.Bytes = p.room[:len(b):len(b)]
	return p, true
}

// allocate finds room of a size.
func (f *File) allocate(size int) (p Piece, ok bool) {
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

// grow adds a window to the file. The rest of the one before stays unused.
func (f *File) grow(size int) bool {
	if f.file.Truncate(f.size+int64(size)) != nil {
		return false
	}
	window, err := show(f.file, f.size, size)
	if err != nil {
		return false
	}
	f.mu.Lock()
	f.advise(window)
	f.shown = append(f.shown, window)
	f.mu.Unlock()
	f.tail, f.at = window, f.size
	f.size += int64(size)
	return true
}

// Free frees a piece, which must not be read after the next Release.
func (f *File) Free(p Piece) {
	if f != nil && len(p.room) > 0 {
		f.freed = append(f.freed, p)
	}
}

// Release makes the room of freed pieces ready for use, or lets pieces of the image wait for the
// next one. It also returns the memory of all read data to the system, which maps it again when it
// is read.
func (f *File) Release() {
	if f == nil {
		return
	}
	_ = f.settleAll() // like Settle
	f.held = append(f.held, f.freed...)
	f.freed = f.freed[:0]
	if !f.imaged {
		f.reuse()
	}
	f.forgetAll()
}

// reuse makes the room ready for use that was held for an image.
func (f *File) reuse() {
	for _, p := range f.held {
		f.free[len(p.room)] = append(f.free[len(p.room)], p)
	}
	f.held = f.held[:0]
}
