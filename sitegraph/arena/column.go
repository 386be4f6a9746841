package arena

import (
	"os"
	"reflect"
	"unsafe"
)

// column is a slice in its own file. It has an address range for the largest number of values, so
// that it never moves.
type column struct {
	file  *os.File
	room  []byte // the address range
	bytes int    // of room, in the file
	size  int    // of a value
	image unsettled
}

const (
	// columnStep is the least growth of a column's file, in bytes; a long one grows by an eighth.
	columnStep = 1 << 16
	// long is the number of values from which sparing memory is worth the time.
	long = 1024
)

// Grow returns s with n values, or s itself if s has more. New values are zero, unless the slice
// was made shorter before. With a File, the values are in a file while the disk has room; so they
// must not hold pointers. Without a File, they are in memory, and a long slice has an eighth to
// spare.
func Grow[T any](f *File, s []T, n int) []T {
	if n <= cap(s) {
		return s[:max(n, len(s))]
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	if f != nil && (cap(s) == 0 || f.columns[address(s)] != nil) {
		if pointers(reflect.TypeFor[T]()) {
			panic("arena: a column of " + reflect.TypeFor[T]().String() +
				", which holds pointers")
		}
		if room := f.column(address(s), n*size, size); room != nil {
			return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(room))), len(room)/size)[:n]
		}
	}
	spare := 0
	if n >= long {
		spare = n / 8
	}
	grown := make([]T, n, n+spare)
	copy(grown, s)
	return grown
}

// Append is append for a slice of Grow: in memory, a long slice has at most an eighth to spare,
// where append leaves a quarter.
func Append[T any](f *File, s []T, v T) []T {
	if n := len(s); n == cap(s) && (f != nil || n >= long) {
		s = Grow(f, s, n+1)[:n]
	}
	return append(s, v)
}

func address[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// column makes room for some bytes in the column that begins at an address, or in a new one; nil:
// there is no room.
func (f *File) column(at unsafe.Pointer, bytes, size int) []byte {
	c := f.columns[at]
	if c == nil {
		c = f.newColumn(size)
		if c == nil {
			return nil
		}
		f.mu.Lock()
		f.advise(c.room)
		f.columns[unsafe.Pointer(unsafe.SliceData(c.room))] = c
		f.mu.Unlock()
	}
	if bytes > c.bytes { // with all of it in use
		step := (max(c.bytes/8, columnStep) + pageSize - 1) / pageSize * pageSize
		end := (bytes+pageSize-1)/pageSize*pageSize + step
		if end > len(c.room) || allocate(c.file, c.bytes, end-c.bytes) != nil {
			return nil
		}
		f.mu.Lock()
		c.bytes = end
		f.mu.Unlock()
	}
	return c.room[:c.bytes]
}

var pageSize = os.Getpagesize()

func (f *File) newColumn(size int) *column {
	file, err := unnamed(f.dir)
	if err != nil {
		return nil
	}
	room, err := showColumn(file, size)
	if err != nil {
		file.Close() // it is empty
		return nil
	}
	return &column{file: file, room: room, size: size}
}

// pointers reports whether values of a type hold pointers.
func pointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return false
	case reflect.Array:
		return pointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if pointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
