package state

import (
	"bytes"
	"encoding/binary"
	"io"
	"reflect"
	"slices"
	"sort"
	"unsafe"
)

// writer appends values to bytes.
type writer struct {
	apart Apart
	to    []byte
	most  int
	// Values to which pointers may lead have numbers: those in known, and the elements of long
	// slices.
	known  map[address]int
	rows   []row
	things int

	out     io.Writer // nil: all stays in to
	written int       // bytes to out
	columns Columns
}

// Columns are files that hold slices of plain values, which need not be written.
type Columns interface {
	// Column makes the first bytes of a slice at an address part of the image; false: it is in no
	// file.
	Column(at unsafe.Pointer, bytes int) (number int, ok bool)
}

// Opened are the files of Columns in another process.
type Opened interface {
	// Column returns the address of a column with values of a size, and its bytes; false: there is
	// none.
	Column(number, size int) (at unsafe.Pointer, bytes int, ok bool)
}

// row is a long slice of structs, whose elements are consecutive in memory and in their numbers.
type row struct {
	first  address
	size   uintptr // of an element
	bytes  uintptr
	number int // of the first
}

// longRow is the length of slices that become rows, since an entry of known takes 50 bytes.
const longRow = 256

// WriteTo writes everything below the roots to out, at most `most` bytes. For slices in columns it
// writes only which columns they are. Beyond the bound it has written a part, and returns
// ErrTooLarge.
func WriteTo(out io.Writer, most int, columns Columns, apart Apart, roots ...any) (err error) {
	w := &writer{apart: apart, most: most, known: map[address]int{}, out: out, columns: columns}
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

// flush passes on the written bytes.
func (w *writer) flush() {
	w.hand(w.to)
	w.to = w.to[:0]
}

func (w *writer) hand(b []byte) {
	if _, err := w.out.Write(b); err != nil {
		panic(failure{err})
	}
	w.written += len(b)
}

const flushed = 1 << 20

func typesOf(roots []any) (types []reflect.Type) {
	for _, root := range roots {
		types = append(types, reflect.TypeOf(root))
	}
	return types
}

func (w *writer) register(v reflect.Value) {
	w.known[addressOf(v)] = w.things
	w.things++
}

// registerAll registers the elements of a slice of structs.
func (w *writer) registerAll(v reflect.Value) {
	n := v.Len()
	if n < longRow {
		for i := range n {
			w.register(v.Index(i))
		}
		return
	}
	size := v.Type().Elem().Size()
	w.rows = append(w.rows, row{addressOf(v.Index(0)), size, size * uintptr(n), w.things})
	w.things += n
}

// numberOf returns the number of a registered value.
func (w *writer) numberOf(v reflect.Value) (int, bool) {
	at := addressOf(v)
	if number, ok := w.known[at]; ok {
		return number, true
	}
	for _, r := range w.rows {
		if from := uintptr(at.at) - uintptr(r.first.at); at.of == r.first.of && from < r.bytes {
			return r.number + int(from/r.size), true
		}
	}
	return 0, false
}

func (w *writer) uint(x int) { w.to = binary.AppendUvarint(w.to, uint64(x)) }

func (w *writer) bytes(b []byte) {
	if len(w.to)+len(b) > w.most-w.written {
		panic(failure{ErrTooLarge})
	}
	if w.out != nil && len(w.to)+len(b) > flushed {
		w.flush()
		if len(b) > flushed {
			w.hand(b)
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

// alone returns the bytes of a value by itself.
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
	if isStruct {
		w.registerAll(v)
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
	if isPlain(v.Type().Key()) && isPlain(v.Type().Elem()) {
		w.plainMapping(v)
		return
	}
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

// plainMapping does the same for keys and values that are bytes: there may be a million of them.
func (w *writer) plainMapping(v reflect.Value) {
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	p := pairs{key: len(bytesOf(key)), pair: len(bytesOf(key)) + len(bytesOf(value))}
	p.all = make([]byte, 0, v.Len()*p.pair)
	p.spare = make([]byte, p.pair)
	for of := v.MapRange(); of.Next(); {
		key.SetIterKey(of)
		value.SetIterValue(of)
		p.all = append(append(p.all, bytesOf(key)...), bytesOf(value)...)
	}
	sort.Sort(&p)
	w.bytes(p.all)
}

// pairs are those of a map, in a row, to be sorted by their keys.
type pairs struct {
	all       []byte
	key, pair int // bytes
	spare     []byte
}

func (p *pairs) at(i int) []byte { return p.all[i*p.pair : (i+1)*p.pair] }
func (p *pairs) Len() int        { return len(p.all) / p.pair }
func (p *pairs) Less(i, k int) bool {
	return bytes.Compare(p.at(i)[:p.key], p.at(k)[:p.key]) < 0
}
func (p *pairs) Swap(i, k int) {
	copy(p.spare, p.at(i))
	copy(p.at(i), p.at(k))
	copy(p.at(k), p.spare)
}

// addressable returns an addressable copy.
func addressable(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	return to
}

const (
	pointsNowhere = iota
	pointsAnew
	pointsToKnown // followed by its number
)

func (w *writer) pointer(v reflect.Value) {
	switch {
	case w.apart.leaves(v.Type()):
	case v.IsNil():
		w.uint(pointsNowhere)
	default:
		if number, ok := w.numberOf(v.Elem()); ok {
			w.uint(pointsToKnown + number)
			return
		}
		w.uint(pointsAnew)
		w.register(v.Elem())
		w.value(v.Elem())
	}
}

// dynamic writes the content of an interface, and its type, which must be that of the reader's.
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
