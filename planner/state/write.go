package state

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
)

// writer appends values to bytes.
type writer struct {
	apart Apart
	to    []byte
	most  int
	known map[address]int // things that pointers may lead to, by number
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
		w.bytes(elementsOf(v))
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
