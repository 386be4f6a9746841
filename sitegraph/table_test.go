package sitegraph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// At every size and with any hash, the table finds all its entries and nothing else.
func TestTable(t *testing.T) {
	for name, hash := range map[string]func(n int32) uint64{
		"good": func(n int32) uint64 {
			return rand.New(rand.NewPCG(uint64(n), 0)).Uint64()
		},
		"one value":       func(n int32) uint64 { return math.MaxUint64 },
		"one place":       func(n int32) uint64 { return uint64(n) << 32 },
		"one tag":         func(n int32) uint64 { return uint64(n) },
		"two values":      func(n int32) uint64 { return uint64(n%2) << 31 },
		"end of the room": func(n int32) uint64 { return math.MaxUint64 - uint64(n%3) },
	} {
		t.Run(name, func(t *testing.T) {
			var table table
			most := 600
			if name == "good" {
				most = 100000
			}
			find := func(n int32) (int32, bool) {
				return table.find(hash(n), func(m int32) bool { return m == n })
			}
			for n := range int32(most) {
				if m, ok := find(n); ok {
					t.Fatalf("%d found as %d before it was added", n, m)
				}
				if m := table.add(hash(n), hash); m != n {
					t.Fatalf("%d added as %d", n, m)
				}
				if n&(n+1) != 0 && n%997 != 0 {
					continue
				}
				for m := range n + 1 {
					if got, ok := find(m); !ok || got != m {
						t.Fatalf("of %d, %d found as %d %v", n+1, m, got, ok)
					}
				}
			}
			if 4*table.used > 3*len(table.slots) {
				t.Errorf("%d of %d slots used", table.used, len(table.slots))
			}
		})
	}
}

// Texts may be as long as a chunk, longer, or empty, among texts of all lengths.
func TestTexts(t *testing.T) {
	var texts texts
	var refs []ref
	want := []string{""}
	for length := 1; length <= 1<<18; length = length*5/4 + 1 {
		for range 5 {
			want = append(want, strings.Repeat(string(rune('a'+length%26)), length))
		}
	}
	want = append(want, "", strings.Repeat("z", 1<<16), strings.Repeat("y", 1<<16-1),
		strings.Repeat("x", maxChunk/16), "w")
	for _, s := range want {
		refs = append(refs, texts.add(s))
	}
	for i, s := range want {
		if got := texts.at(refs[i]); got != s {
			t.Fatalf("text %d of length %d is %.20q of length %d", i, len(s), got, len(got))
		}
	}
}

// The graph refuses what exceeds a ref or a number, and never cuts it.
func TestGraphLimits(t *testing.T) {
	panics := func(f func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f()
		return ""
	}
	for _, r := range [][3]int{{0, 0, 0}, {maxChunks - 1, maxChunk - 1, maxLength}, {1, 2, 3}} {
		ref := makeRef(r[0], r[1], r[2])
		if got := [3]int{ref.chunk(), ref.offset(), ref.length()}; got != r {
			t.Errorf("%v became %v", r, got)
		}
	}
	for _, r := range [][3]int{{maxChunks, 0, 0}, {0, maxChunk, 0}, {0, 0, maxLength + 1}} {
		if text := panics(func() {
			makeRef(r[0], r[1], r[2])
		}); !strings.Contains(text, "no room") {
			t.Errorf("%v: %s", r, text)
		}
	}
	full := table{used: math.MaxInt32 + 1}
	if text := panics(func() {
		full.add(0, nil)
	}); !strings.Contains(text, "no number for more than 2147483648 pages") {
		t.Error(text)
	}
	g := NewGraph()
	long := "http://example.com/" + strings.Repeat("x", maxLength)
	if text := panics(func() { g.Add(long) }); !strings.Contains(text, "of length 16777234") {
		t.Error(text)
	}
}

// The graph keeps the promise of doc.go just after tables and columns have grown, and in the bad
// case of one page a directory. It also keeps it when links are replaced again and again.
func TestGraphMemory(t *testing.T) {
	const mostPerPage, mostPerLink, linksPerPage = 64, 12, 10
	for _, pages := range []int{98304, 98305, 110000, 125000} {
		for _, pagesPerDir := range []int{30, 1} {
			rng := rand.New(rand.NewPCG(uint64(pages), 7))
			before, address, total := heapBytes(), 0, 0
			g := NewGraph()
			for i := range pages {
				g.Add(shapeURL(i, pagesPerDir))
				address += len(g.URL(PageID(i)))
			}
			perPage := float64(heapBytes()-before-uint64(address)) / float64(pages)
			if perPage > mostPerPage {
				t.Errorf("%d pages, %d a directory: %.1f bytes a page", pages, pagesPerDir, perPage)
			}
			withPages := heapBytes()
			for i := range 4 * pages {
				ids := make([]PageID, rng.IntN(2*linksPerPage))
				for j := range ids {
					ids[j] = PageID(rng.IntN(pages))
				}
				g.SetLinkIDs(PageID(i%pages), ids, nil)
			}
			for p := range PageID(pages) {
				total += len(g.Links(p))
			}
			if perLink := float64(heapBytes()-withPages) / float64(total); perLink > mostPerLink {
				t.Errorf("%d pages: %.1f bytes a link", pages, perLink)
			}
			runtime.KeepAlive(g)
		}
	}
}
