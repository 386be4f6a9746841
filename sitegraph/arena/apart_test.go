package arena

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// isApart reports whether the system was asked to read places of a mapping as far apart.
func isApart(t *testing.T, room []byte) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip("this system does not tell how mappings are read: ", err)
	}
	at, inside := uintptr(unsafe.Pointer(unsafe.SliceData(room))), false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return strings.Contains(flags+" ", " rr ")
		}
	}
	t.Fatal("there is no such mapping")
	return false
}

// All mappings follow the last call of Apart, including later ones and those moved out of an image.
func TestApart(t *testing.T) {
	i, column := take(t, kept(t, numbersTo(3*settleStep/8)))
	defer i.Close()
	f := i.File
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), 4*len(column))
	all := func(want bool, of ...[]byte) {
		t.Helper()
		for k, room := range of {
			if isApart(t, room) != want {
				t.Errorf("mapping %d is read apart: %v", k, !want)
			}
		}
	}
	all(false, bytes, f.shown[0])
	f.Apart(true)
	grown := Grow(f, []byte(nil), 1)
	all(true, bytes, f.shown[0], grown, bytes[settleStep:])
	f.Settle()
	all(true, bytes, bytes[settleStep:])
	f.Apart(false)
	all(false, bytes, f.shown[0], grown, bytes[settleStep:])
}
