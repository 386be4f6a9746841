package state

import (
	"bytes"
	"maps"
	"slices"
	"testing"
)

// Write writes roots, in at most `most` bytes.
func Write(apart Apart, most int, roots ...any) ([]byte, error) {
	var b bytes.Buffer
	err := WriteTo(&b, most, nil, apart, roots...)
	return b.Bytes(), err
}

// Pointers into long slices, and large maps of plain values, are read as they were written.
func TestLong(t *testing.T) {
	type thing struct {
		name string
		n    int32
	}
	type root struct {
		things []thing
		few    []thing
		to     []*thing
		byKey  map[uint64]int32
	}
	a := root{things: make([]thing, 3*longRow), few: make([]thing, longRow-1),
		byKey: map[uint64]int32{}}
	for i := range a.things {
		a.things[i] = thing{name: string(rune('a' + i%26)), n: int32(i)}
		a.byKey[uint64(i)*0x9e3779b97f4a7c15] = int32(i)
	}
	for _, i := range []int{0, 1, longRow, 3*longRow - 1} {
		a.to = append(a.to, &a.things[i])
	}
	a.to = append(a.to, &a.few[longRow-2], &thing{"apart", 7})
	written, err := Write(nil, 1<<20, &a)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Write(nil, 1<<20, &a)
	if err != nil || !slices.Equal(again, written) {
		t.Errorf("written twice it differs: %v", err)
	}
	var b root
	if err := Read(written, nil, &b); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.things, b.things) || !maps.Equal(a.byKey, b.byKey) ||
		len(b.to) != len(a.to) {
		t.Fatalf("%d things, %d pointers, %d keys came back",
			len(b.things), len(b.to), len(b.byKey))
	}
	for k, i := range []int{0, 1, longRow, 3*longRow - 1} {
		if b.to[k] != &b.things[i] {
			t.Errorf("pointer %d leads elsewhere", k)
		}
	}
	if b.to[4] != &b.few[longRow-2] || *b.to[5] != (thing{"apart", 7}) {
		t.Errorf("the last pointers lead elsewhere")
	}
}
