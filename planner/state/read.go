package state

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"
)

// reader reads values from bytes.
type reader struct {
	apart Apart
	from  []byte
	known []reflect.Value // addressable, by number
	files Opened          // nil: no values are in columns
}

// Read reads what Write returned into roots that were built alike.
func Read(from []byte, apart Apart, roots ...any) error {
	return ReadFrom(from, nil, apart, roots...)
}

// ReadFrom reads what WriteTo wrote. Slices from columns are then those of the files, and others
// may grow into the free room after them.
func ReadFrom(from []byte, files Opened, apart Apart, roots ...any) (err error) {
	r := &reader{apart: apart, from: from, files: files}
	defer func() {
		if thrown := recover(); thrown != nil {
			failed, ok := thrown.(failure)
			if !ok {
				panic(thrown)
			}
			err = failed.error
		}
	}()
	if binary.LittleEndian.Uint64(r.bytes(8)) != apart.formOf(typesOf(roots)...) {
		return ErrForm
	}
	for _, root := range roots {
		v := reflect.ValueOf(root).Elem()
		r.known = append(r.known, v)
		r.value(v)
	}
	if len(r.from) > 0 {
		return fmt.Errorf("%d bytes are left over", len(r.from))
	}
	return nil
}

// failure is the panic of a reader that cannot continue.
type failure struct{ error }

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.from) {
		panic(failure{errShort})
	}
	b := r.from[:n]
	r.from = r.from[n:]
	return b
}

// uint reads a number; a length is at most that of the rest, times a bound for plain elements.
func (r *reader) uint() int {
	x, n := binary.Uvarint(r.from)
	if n <= 0 || x > 1<<40 {
		panic(failure{errShort})
	}
	r.from = r.from[n:]
	return int(x)
}

func (r *reader) string() string { return string(r.bytes(r.uint())) }

// value reads into an addressable value.
func (r *reader) value(v reflect.Value) {
	t := v.Type()
	if isPlain(t) {
		copy(bytesOf(v), r.bytes(int(t.Size())))
		return
	}
	switch t.Kind() {
	case reflect.String:
		v.SetString(r.string())
	case reflect.Array:
		for i := range v.Len() {
			r.value(v.Index(i))
		}
	case reflect.Slice:
		r.slice(v)
	case reflect.Struct:
		r.apart.fields(v, func(field reflect.Value, same bool) {
			if !same {
				r.value(field)
				return
			}
			own := (&writer{apart: r.apart, most: 1 << 30, known: map[address]int{}}).alone(field)
			if !bytes.Equal(own, r.bytes(r.uint())) {
				panic(failure{ErrSettings})
			}
		})
	case reflect.Map:
		r.mapping(v)
	case reflect.Pointer:
		r.pointer(v)
	case reflect.Interface:
		r.dynamic(v)
	}
}

func (r *reader) slice(v reflect.Value) {
	n := r.uint()
	elem := v.Type().Elem()
	if n == 0 {
		v.SetZero()
		return
	}
	if r.files != nil && isPlain(elem) {
		if number := r.uint(); number > 0 {
			r.column(v, number-1, n)
			return
		}
	}
	if n > len(r.from) && elem.Size() > 0 {
		panic(failure{errShort})
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	if isPlain(elem) {
		copy(elementsOf(v), r.bytes(n*int(elem.Size())))
		return
	}
	if elem.Kind() == reflect.Struct {
		for i := range n {
			r.known = append(r.known, v.Index(i))
		}
	}
	for i := range n {
		r.value(v.Index(i))
	}
}

// column makes a slice of n values in a column.
func (r *reader) column(v reflect.Value, number, n int) {
	size := int(v.Type().Elem().Size())
	at, bytes, ok := r.files.Column(number, size)
	if !ok || n > bytes/size {
		panic(failure{errShort})
	}
	room := bytes / size
	// A slice header has the same form for all types of values.
	header := (*[]byte)(unsafe.Pointer(v.UnsafeAddr()))
	*header = unsafe.Slice((*byte)(at), room)[:n:room]
}

func (r *reader) mapping(v reflect.Value) {
	n := r.uint()
	if n == 0 {
		v.SetZero()
		return
	}
	if n-1 > len(r.from) {
		panic(failure{errShort})
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), n-1))
	for range n - 1 {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		r.value(key)
		r.value(value)
		v.SetMapIndex(key, value)
	}
}

func (r *reader) pointer(v reflect.Value) {
	if r.apart.leaves(v.Type()) {
		return
	}
	switch number := r.uint(); number {
	case pointsNowhere:
		v.SetZero()
	case pointsAnew:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		r.known = append(r.known, v.Elem())
		r.value(v.Elem())
	default:
		number -= pointsToKnown
		if number >= len(r.known) || r.known[number].Type() != v.Type().Elem() {
			panic(failure{fmt.Errorf("a pointer leads to nothing of its type")})
		}
		v.Set(r.known[number].Addr())
	}
}

func (r *reader) dynamic(v reflect.Value) {
	name := r.string()
	if name == "" {
		return
	}
	form := binary.LittleEndian.Uint64(r.bytes(8))
	if v.IsNil() || v.Elem().Type().String() != name || r.apart.formOf(v.Elem().Type()) != form {
		panic(failure{ErrForm})
	}
	held := addressable(v.Elem())
	r.value(held)
	v.Set(held)
}
