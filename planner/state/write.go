package state

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// writer appends values to bytes.
type writer struct {
	apart Apart
	to    []byte
	most  int
	known map[address]int // things that pointers may lead to, by number

	out     io.Writer // nil: all stays in to
	columns Columns
}

// Columns are files that hold slices of plain values, which need not be written.
type Columns interface {
	// Column makes the first bytes of a slice that begins there part of what is kept; false: it is
	// in no file.
	Column(at unsafe.Pointer, bytes int) (number int, ok bool)
}

// Opened are the files of Columns in another process.
type Opened interface {
	// Column is where a column with values of a size begins, and how many bytes it has; false:
	// there is none.
	Column(number, size int) (at unsafe.Pointer, bytes int, ok bool)
}

// Write returns what is below the roots, in most bytes at most.
func Write(apart Apart, most int, roots ...any) (written []byte, err error) {
	w := &writer{apart: apart, most: most, known: map[address]int{}}
	defer func() {
		if thrown := recover(); thrown != nil {
			if thrown != ErrTooLarge {
				panic(thrown)
			}
			written, err = nil, ErrTooLarge
		}
	}()
	w.to = binary.LittleEndian.AppendUint64(w.to, apart.formOf(typesOf(roots)...))
	for _, root := range roots {
		v := reflect.ValueOf(root).Elem()
		w.register(v)
		w.value(v)
	}
	return w.to, nil
}

// WriteTo writes what is below the roots to out, but for slices that lie in columns: of these it
// writes which they are.
func WriteTo(out io.Writer, columns Columns, apart Apart, roots ...any) (err error) {
	w := &writer{apart: apart, most: math.MaxInt, known: map[address]int{}, out: out, columns: columns}
	defer func() {
		if thrown := recover(); thrown != nil {
			failed, ok := thrown.(failure)
			if !ok {
				panic(thrown)
			}
			err = failed.error
		}
	}()
	w.to = binary.LittleEndian.AppendUint64(w.to, apart.formOf(typesOf(roots)...))
	for _, root := range roots {
		v := reflect.ValueOf(root).Elem()
		w.register(v)
		w.value(v)
	}
	w.flush()
	return nil
}

// flush hands on what was written so far.
func (w *writer) flush() {
	if _, err := w.out.Write(w.to); err != nil {
		panic(failure{err})
	}
	w.to = w.to[:0]
}

const flushed = 1 << 20

func typesOf(roots []any) (types []reflect.Type) {
	for _, root := range roots {
		types = append(types, reflect.TypeOf(root))
	}
	return types
}

func (w *writer) register(v reflect.Value) { w.known[addressOf(v)] = len(w.known) }

func (w *writer) uint(x int) { w.to = binary.AppendUvarint(w.to, uint64(x)) }

func (w *writer) bytes(b []byte) {
	if len(w.to)+len(b) > w.most {
		panic(ErrTooLarge)
	}
	if w.out != nil && len(w.to)+len(b) > flushed {
		w.flush()
		if len(b) > flushed {
			if _, err := w.out.Write(b); err != nil {
				panic(failure{err})
			}
			return
		}
	}
	w.to = append(w.to, b...)
}

func (w *writer) string(s string) {
	w.uint(len(s))
	w.bytes([]byte(s))
}

// value writes an addressable value.
func (w *writer) value(v reflect.Value) {
	t := v.Type()
	if isPlain(t) {
		w.bytes(bytesOf(v))
		return
	}
	switch t.Kind() {
	case reflect.String:
		w.string(v.String())
	case reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	case reflect.Slice:
		w.slice(v)
	case reflect.Struct:
		w.apart.fields(v, func(field reflect.Value, same bool) {
			if same {
				w.string(string(w.alone(field)))
				return
			}
			w.value(field)
		})
	case reflect.Map:
		w.mapping(v)
	case reflect.Pointer:
		w.pointer(v)
	case reflect.Interface:
		w.dynamic(v)
	default:
		if !w.apart.leaves(t) {
			panic("state: cannot write " + t.String())
		}
	}
}

// alone is a value by itself.
func (w *writer) alone(v reflect.Value) []byte {
	apart := &writer{apart: w.apart, most: w.most, known: map[address]int{}}
	apart.value(v)
	return apart.to
}

func (w *writer) slice(v reflect.Value) {
	w.uint(v.Len())
	if isPlain(v.Type().Elem()) {
		b := elementsOf(v)
		if w.columns != nil && len(b) > 0 {
			if number, ok := w.columns.Column(unsafe.Pointer(unsafe.SliceData(b)), len(b)); ok {
				w.uint(1 + number)
				return
			}
			w.uint(0)
		}
		w.bytes(b)
		return
	}
	isStruct := v.Type().Elem().Kind() == reflect.Struct
	for i := range v.Len() {
		if isStruct {
			w.register(v.Index(i))
		}
	}
	for i := range v.Len() {
		w.value(v.Index(i))
	}
}

// mapping writes a map in the order of the bytes of its keys.
func (w *writer) mapping(v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(v.Len() + 1)
	type pair struct {
		key   []byte
		value reflect.Value
	}
	pairs := make([]pair, 0, v.Len())
	for of := v.MapRange(); of.Next(); {
		pairs = append(pairs, pair{w.alone(addressable(of.Key())), of.Value()})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
	for _, p := range pairs {
		w.bytes(p.key)
		w.value(addressable(p.value))
	}
}

// addressable is a copy that is.
func addressable(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	return to
}

const (
	pointsNowhere = iota
	pointsAnew
	pointsToKnown // and more: its number
)

func (w *writer) pointer(v reflect.Value) {
	switch {
	case w.apart.leaves(v.Type()):
	case v.IsNil():
		w.uint(pointsNowhere)
	default:
		if number, ok := w.known[addressOf(v.Elem())]; ok {
			w.uint(pointsToKnown + number)
			return
		}
		w.uint(pointsAnew)
		w.register(v.Elem())
		w.value(v.Elem())
	}
}

// dynamic writes what an interface holds, and its type, which the reader's must hold, too.
func (w *writer) dynamic(v reflect.Value) {
	if v.IsNil() || w.apart.leaves(v.Elem().Type()) {
		w.string("")
		return
	}
	held := addressable(v.Elem())
	w.string(held.Type().String())
	w.to = binary.LittleEndian.AppendUint64(w.to, w.apart.formOf(held.Type()))
	w.value(held)
}
