package guard

import (
	"bytes"
	"testing"
)

// TestTurns checks that short records of TLS are no turn, however many arrive together, and that a
// long one is, in any number of pieces. Bytes that are not TLS all count.
func TestTurns(t *testing.T) {
	record := func(size int) []byte {
		head := []byte{23, 3, 3, byte((size - 5) >> 8), byte(size - 5)}
		return append(head, make([]byte, size-5)...)
	}
	short, long := record(48), record(100)
	for _, c := range []struct {
		name string
		sent [][]byte // the server sends after each
		want int      // turns
	}{
		{"acknowledgements at once", [][]byte{bytes.Repeat(short, 20)}, 0},
		{"a request", [][]byte{long}, 1},
		{"a request behind acknowledgements", [][]byte{append(bytes.Repeat(short, 3), long...)}, 1},
		{"two requests", [][]byte{long, bytes.Repeat(short, 3), long}, 2},
		{"two requests before an answer", [][]byte{append(long, long...)}, 1},
		{"one that the server does not await", [][]byte{record(250)[:120], record(250)[120:]}, 2},
		{"no TLS", [][]byte{bytes.Repeat([]byte("x"), 99), bytes.Repeat([]byte("x"), 100)}, 1},
		{"longer than a record may be", [][]byte{{23, 3, 3, 0xff, 0xff}, make([]byte, 100)}, 1},
		{"nothing", [][]byte{{}, {}}, 0},
	} {
		for _, piece := range []int{1, 3, 64, 1 << 10} {
			turns := turns{most: 1000, allowed: 1 << 20}
			for _, sent := range c.sent {
				for rest := sent; len(rest) > 0; {
					n := min(piece, len(rest))
					if limit, _ := turns.client(rest[:n]); limit != "" {
						t.Fatalf("%s: %s", c.name, limit)
					}
					rest = rest[n:]
				}
				turns.server()
			}
			if turns.taken != c.want {
				t.Errorf("%s, in pieces of %d: %d turns, want %d",
					c.name, piece, turns.taken, c.want)
			}
		}
	}
}
