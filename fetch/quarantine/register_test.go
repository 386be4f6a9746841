package quarantine

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestRegister checks that visits which began and did not end are suspects for a later process.
func TestRegister(t *testing.T) {
	page := func(i int) string { return fmt.Sprintf("http://a.example/%d", i) }
	r, path := suspecting(t)
	var ended []func()
	for i := range 5 {
		ended = append(ended, r.Begin(page(i)))
	}
	ended[1]()
	ended[3]()
	r.Begin(page(5)) // reuses a free slot
	check := func(want ...int) {
		t.Helper()
		r = again(t, r, path)
		if r.Suspects() != len(want) {
			t.Errorf("%d suspects, want %v", r.Suspects(), want)
		}
		for _, i := range want {
			if !r.isSuspect(page(i)) {
				t.Errorf("%d is no suspect", i)
			}
		}
	}
	check(0, 2, 4, 5)
	check(0, 2, 4, 5) // until its body has been read
	r.Begin(page(2))
	check(0, 2, 4, 5)
	r.Begin(page(2))()
	check(0, 2, 4, 5)
	end := r.Begin(page(2))
	r.acquit(page(2))
	end()
	r.acquit(page(2))
	other := r.Begin(page(7))
	r.Begin(page(6))
	other()
	check(0, 4, 5, 6)
	for _, i := range []int{0, 4, 5, 6} {
		r.acquit(page(i))
	}
	check()
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("a register of nothing has %d octets, %v", info.Size(), err)
	}
}

// TestRegisterConcurrently is for the race detector, and checks that no slot has two visits.
func TestRegisterConcurrently(t *testing.T) {
	r, path := suspecting(t)
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			for j := range 50 {
				end := r.Begin(fmt.Sprintf("http://a.example/%d-%d", i, j))
				if j < 49 {
					end()
				}
			}
		})
	}
	done.Wait()
	if r = again(t, r, path); r.Suspects() != 8 || r.slots > 8 {
		t.Errorf("%d suspects in %d slots", r.Suspects(), r.slots)
	}
}

func TestRegisterBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "underway")
	var file []byte
	for i := range maxSuspects + 10 {
		file = append(file, slotOf(fmt.Sprintf("http://a.example/%d", i))...)
	}
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Suspects() != maxSuspects {
		t.Errorf("%d suspects", r.Suspects())
	}
	longest := "http://a.example/" + strings.Repeat("a",
		sitegraph.MaxURLBytes-len("http://a.example/"))
	r.Begin(longest)
	r.acquit("http://a.example/7")
	if r = again(t, r, path); !r.isSuspect(longest) || r.Suspects() != maxSuspects {
		t.Errorf("the longest address is no suspect, of %d", r.Suspects())
	}
}

func slotOf(url string) []byte {
	slot := make([]byte, slotBytes)
	binary.BigEndian.PutUint16(slot, uint16(len(url)))
	copy(slot[2:], url)
	return slot
}

// FuzzRegister checks that any file can be opened, that its suspects are canonical, and that they
// are the same after opening it again.
func FuzzRegister(f *testing.F) {
	f.Add(append(slotOf("http://a.example/"), slotOf("http://a.example/")...))
	f.Add(append(slotOf("x"), slotOf("http://b.example/?q")[:20]...))
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "underway")
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		n := r.Suspects()
		for url := range r.suspects {
			if c, err := sitegraph.Canonical(url); err != nil || c != url {
				t.Errorf("%q is not canonical", url)
			}
		}
		r.Begin("http://new.example/")()
		if r = again(t, r, path); r.Suspects() != n {
			t.Errorf("%d suspects, then %d", n, r.Suspects())
		}
	})
}
