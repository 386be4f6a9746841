package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestField(t *testing.T) {
	file := filepath.Join(t.TempDir(), "status")
	if err := os.WriteFile(file, []byte("Name:\tx\nVmRSS:\t   12 kB\nrchar: 345\nbad: much\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]int64{"VmRSS:": 12, "rchar:": 345, "bad:": 0, "VmHWM:": 0} {
		if got := Field(file, word); got != want {
			t.Errorf("%s is %d, want %d", word, got, want)
		}
	}
	if got := Field(file+"x", "VmRSS:"); got != 0 {
		t.Errorf("of no file: %d", got)
	}
}
