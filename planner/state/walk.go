package state

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"reflect"
	"slices"
	"unsafe"
)

var (
	// ErrForm reports bytes of another version of the program, or of other types.
	ErrForm = errors.New("it has another form")
	// ErrSettings reports bytes that were written with other settings.
	ErrSettings = errors.New("it was written with other settings")
	// ErrTooLarge reports a state beyond its bound.
	ErrTooLarge = errors.New("it is too large to be kept")

	errShort = errors.New("it ends too early")
)

// Apart are types whose pointers are neither written nor read.
type Apart []reflect.Type

// tagOf returns the tag of a field.
func tagOf(f *reflect.StructField) string { return f.Tag.Get("state") }

// leaves reports whether values of a type are left as they are.
func (a Apart) leaves(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	case reflect.Pointer:
		return slices.Contains(a, t)
	}
	return false
}

// isPlain reports whether a value consists of its bytes alone.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return true
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); tagOf(&f) != "" || !isPlain(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}

// fields calls f for each field of an addressable struct, except those to be left as they are.
func (a Apart) fields(v reflect.Value, f func(field reflect.Value, same bool)) {
	t := v.Type()
	for i := range t.NumField() {
		of := t.Field(i)
		tag := tagOf(&of)
		if tag == "-" || a.leaves(of.Type) {
			continue
		}
		f(reflect.NewAt(of.Type, unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem(), tag == "same")
	}
}

// bytesOf returns the bytes of an addressable plain value.
func bytesOf(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v.UnsafeAddr())), v.Type().Size())
}

// elementsOf returns the bytes of a slice of plain values.
func elementsOf(v reflect.Value) []byte {
	if v.Len() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), uintptr(v.Len())*v.Type().Elem().Size())
}

// formOf returns a fingerprint of types and everything below them except the content of interfaces.
func (a Apart) formOf(roots ...reflect.Type) uint64 {
	h := fnv.New64a()
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		h.Write([]byte(t.String()))
		h.Write([]byte{byte(t.Kind()), byte(t.Size()), byte(t.Size() >> 8)})
		if seen[t] || a.leaves(t) {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Array:
			h.Write(binary.AppendUvarint(nil, uint64(t.Len())))
			walk(t.Elem())
		case reflect.Map:
			walk(t.Key())
			walk(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				f := t.Field(i)
				h.Write([]byte(f.Name + tagOf(&f)))
				if tagOf(&f) != "-" {
					walk(f.Type)
				}
			}
		}
	}
	order := uint16(1)
	h.Write(bytesOf(reflect.ValueOf(&order).Elem()))
	for _, t := range roots {
		walk(t)
	}
	return h.Sum64()
}

// address identifies a value: a struct has the address of its first field.
type address struct {
	at unsafe.Pointer
	of reflect.Type
}

func addressOf(v reflect.Value) address { return address{unsafe.Pointer(v.UnsafeAddr()), v.Type()} }
