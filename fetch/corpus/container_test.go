package corpus

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"
)

func texts() (all [][]byte) {
	for i := range 300 {
		all = append(all, []byte(strings.Repeat(fmt.Sprintf("text %d of many\n", i), i%97*3)))
	}
	return append(all, bytes.Repeat([]byte("long "), FrameSize))
}

// TestContainer checks that each text is read at its place, that any zstd reads all of them, and
// that damage is found.
func TestContainer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "000001.xml.zst")
	w, err := CreateContainer(vfs.Default, path)
	if err != nil {
		t.Fatal(err)
	}
	var places []ContainerPlace
	for _, text := range texts() {
		p, err := w.Add(text)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, p)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it is there before it is whole: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts() {
		if got, err := ReadContainer(vfs.Default, path, places[i]); err != nil ||
			!bytes.Equal(got, text) {
			t.Fatalf("text %d has %d octets of %d, %v", i, len(got), len(text), err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all bytes.Buffer
	if _, err := z.WriteTo(&all); err != nil ||
		!bytes.Equal(all.Bytes(), bytes.Join(texts(), nil)) {
		t.Errorf("as a whole it has %d octets, %v", all.Len(), err)
	}
	for _, place := range []ContainerPlace{{-1, 1}, {0, -1}, {int64(all.Len()), 1},
		{0, all.Len() + 1}} {
		if _, err := ReadContainer(vfs.Default, path, place); err == nil {
			t.Errorf("there is something at %+v", place)
		}
	}
	file[len(file)/3] ^= 1
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for i, text := range texts() {
		if got, err := ReadContainer(vfs.Default, path, places[i]); err != nil {
			damaged++
		} else if !bytes.Equal(got, text) {
			t.Fatalf("text %d is wrong, and nobody says so", i)
		}
	}
	if damaged == 0 || damaged == len(places) {
		t.Errorf("%d texts of %d are damaged", damaged, len(places))
	}
}
