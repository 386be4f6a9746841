package archive

import (
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/archive/warc"
)

// TestCodings checks that answers at the rate of a polite crawl are compressed well, and of faster
// ones smallPerSecond. A clock that goes back changes nothing.
func TestCodings(t *testing.T) {
	now := noon
	a := &Archive{o: Options{Now: func() time.Time { return now }}}
	page := &warc.NewRecord{Type: warc.Response,
		Block: [][]byte{make([]byte, 100), make([]byte, 25_000)}}
	small := func(each time.Duration, pages int) (n int) {
		for range pages {
			if now = now.Add(each); a.coding(page) == warc.Small {
				n++
			}
		}
		return n
	}
	if n := small(50*time.Millisecond, 1000); n != 1000 {
		t.Errorf("of 1000 pages at 0.5 MB a second %d are small", n)
	}
	small(0, 1000) // spends the saved budget
	if n := small(time.Millisecond, 10_000); n < 200 || n > 220 {
		t.Errorf("of 10000 pages at 25 MB a second %d are small, want %d octets a second",
			n, smallPerSecond)
	}
	now = noon
	if n := small(time.Millisecond, 1000); n < 15 || n > 35 {
		t.Errorf("of 1000 pages after the clock went back %d are small", n)
	}
	for _, r := range []*warc.NewRecord{
		{Type: warc.Revisit, Block: [][]byte{make([]byte, 300)}},
		{Type: warc.Response, Block: [][]byte{make([]byte, 300)}},
	} {
		if c := a.coding(r); c != warc.Small {
			t.Errorf("a %s of 300 octets: %d", r.Type, c)
		}
	}
	page.Coding = warc.Stored
	if c := a.coding(page); c != warc.Stored {
		t.Errorf("a body that is compressed: %d", c)
	}
}
