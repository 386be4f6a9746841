package sitegraph

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph/arena"
)

// BenchmarkKnown compares three ways to find the page of a link's address, over a stream with 87 %
// repeats [SBFL]. The graph uses the first: the table and the text of the address. The second puts
// a cache of 64-bit fingerprints in front [SBFL 4.3]. The third has fingerprints by page instead of
// the text. The ways take turns on one graph, so that other load of the machine affects all. The
// benchmark reports the time of a link, as the median over pieces of 10,000 links. It also reports
// how much of the file with the text 10,000 pages read into memory. RECRAWL_LONG adds 10 million
// pages.
func BenchmarkKnown(b *testing.B) {
	sizes := []int{1e6}
	if os.Getenv("RECRAWL_LONG") != "" {
		sizes = append(sizes, 1e7)
	}
	for _, pages := range sizes {
		for _, inFile := range []bool{false, true} {
			b.Run(fmt.Sprintf("pages=%d/file=%v", pages, inFile), func(b *testing.B) {
				s := newKnownStream(b, pages, inFile)
				b.ReportMetric(4*float64(len(s.g.addresses.byURL.slots))/float64(pages),
					"table-B/page")
				hits := 0
				ways := []*knownWay{
					{name: "table", resolve: s.g.resolve},
					{name: "cache16k", resolve: s.cached(1<<14, new(int))},
					{name: "cache256k", resolve: s.cached(1<<18, &hits)},
					{name: "prints", resolve: s.fingerprinted()},
				}
				for b.Loop() {
					for _, w := range ways {
						s.take(w)
					}
				}
				for _, w := range ways {
					slices.Sort(w.times)
					b.ReportMetric(w.times[len(w.times)/2], w.name+"-ns/link")
					if inFile {
						slices.Sort(w.shown)
						b.ReportMetric(w.shown[len(w.shown)/2], w.name+"-MB")
					}
				}
				b.ReportMetric(100*float64(hits)/float64(knownLinks*knownTurn*b.N), "%in-cache256k")
			})
		}
	}
}

type knownWay struct {
	name    string
	resolve resolver
	times   []float64 // ns a link, by piece
	shown   []float64 // MB, by turn
}

type resolver func(ids []PageID, p PageID, urls []string) []PageID

// knownStream is a crawl of servers of 200 pages, which takes turns among 1,000 servers at a time.
// A page has 40 links. Half lead to the 20 pages of its server that every page links to, 13 % to
// new pages, and the others to any page of its server.
type knownStream struct {
	g       *Graph
	rng     *rand.Rand
	servers int
	made    int
	visit   int
	urls    []string
}

const (
	knownOfServer = 200
	knownAtATime  = 1000
	knownTurn     = 10 * knownAtATime // pages
	knownLinks    = 40
)

func newKnownStream(b *testing.B, pages int, inFile bool) *knownStream {
	var file *arena.File
	if inFile {
		var err error
		if file, err = arena.Open(b.TempDir()); err != nil {
			b.Fatal(err)
		}
	}
	s := &knownStream{g: NewGraphIn(file), rng: rand.New(rand.NewPCG(1, 7)),
		servers: pages / knownOfServer}
	for i := range pages {
		s.g.Add(knownURL(i%s.servers, i/s.servers))
	}
	return s
}

func knownURL(server, page int) string {
	return fmt.Sprintf("https://www.host-%d.example/section-%d/the-name-of-a-page-%d.html",
		server, page/40, page)
}

// next returns the links of the next visited page.
func (s *knownStream) next() PageID {
	server := (s.visit/knownTurn*knownAtATime + s.visit%knownAtATime) % s.servers
	s.visit++
	s.urls = s.urls[:0]
	for i := range knownLinks {
		switch {
		case i < knownLinks/2:
			s.urls = append(s.urls, knownURL(server, i))
		case s.rng.Float64() < 0.26:
			s.made++
			s.urls = append(s.urls, knownURL(server, 1_000_000+s.made))
		default:
			s.urls = append(s.urls, knownURL(server, s.rng.IntN(knownOfServer)))
		}
	}
	return PageID(server)
}

// take runs a turn of 10,000 pages. At its start, no part of the file is in memory.
func (s *knownStream) take(w *knownWay) {
	const piece = 250 // pages
	var ids []PageID
	lists, pages := make([][]string, piece), make([]PageID, piece)
	s.g.Release()
	before := fileBytes()
	for range knownTurn / piece {
		for i := range lists {
			pages[i] = s.next()
			lists[i] = slices.Clone(s.urls)
		}
		began := time.Now()
		for i, urls := range lists {
			ids = w.resolve(ids[:0], pages[i], urls)
		}
		w.times = append(w.times, float64(time.Since(began).Nanoseconds())/(piece*knownLinks))
	}
	w.shown = append(w.shown, float64(fileBytes()-before)/(1<<20))
}

// fileBytes returns how much of the mapped files is in memory, or 0 if the system does not say.
func fileBytes() int {
	status, _ := os.ReadFile("/proc/self/status")
	var kB int
	_, rest, ok := strings.Cut(string(status), "RssFile:")
	if ok {
		_, _ = fmt.Sscan(rest, &kB)
	}
	return kB << 10
}

// cached puts a cache in front of the table. The cache maps fingerprints to page numbers, in lines
// of 8, each a small LRU. It trusts a fingerprint without comparing the address.
func (s *knownStream) cached(entries int, hits *int) resolver {
	type line struct {
		keys  [8]uint64
		pages [8]PageID
	}
	lines := make([]line, entries/8)
	find := func(key uint64) *line {
		at, _ := bits.Mul64(key, uint64(len(lines)))
		return &lines[at]
	}
	var guesses [64]guess
	return func(ids []PageID, _ PageID, urls []string) []PageID {
		first := len(ids)
		var left [64]int
		var keys [64]uint64
		missed := make([]string, 0, 64)
		for i, url := range urls {
			keys[i] = s.g.addresses.hash(url)
		}
		for i := range urls {
			l, key := find(keys[i]), keys[i]
			page := NoPage
			k, q := l.keys[0], l.pages[0]
			if k == key {
				page = q
			} else {
				for j := 1; j < 8; j++ {
					k, l.keys[j] = l.keys[j], k
					q, l.pages[j] = l.pages[j], q
					if k == key {
						page = q
						l.keys[0], l.pages[0] = key, page
						break
					}
				}
			}
			if page == NoPage {
				left[len(missed)] = i
				missed = append(missed, urls[i])
				l.keys[0] = 0
			} else {
				*hits++
			}
			ids = append(ids, page)
		}
		s.g.addresses.guess(guesses[:], missed)
		for m, url := range missed {
			id := guesses[m].page
			if id == NoPage || s.g.URL(id) != url {
				id = s.g.add(url, guesses[m].hash)
			}
			l := find(guesses[m].hash)
			if l.keys[0] == 0 { // the first of several in one line gets its place
				l.keys[0], l.pages[0] = guesses[m].hash, id
			}
			ids[first+left[m]] = id
		}
		return ids
	}
}

// fingerprinted compares 64-bit fingerprints instead of the text. They take 8 bytes of memory a
// page.
func (s *knownStream) fingerprinted() resolver {
	a := &s.g.addresses
	prints := make([]uint64, 0, s.g.Pages()+1<<20)
	fill := func() {
		for p := len(prints); p < s.g.Pages(); p++ {
			prints = append(prints, a.hash(a.url(PageID(p))))
		}
	}
	fill()
	return func(ids []PageID, _ PageID, urls []string) []PageID {
		fill() // adds the pages that the other ways added
		var keys [64]uint64
		var at [64]int32
		for i, url := range urls {
			keys[i] = a.hash(url)
			n, ok := a.byURL.find(keys[i], func(int32) bool { return true })
			if !ok {
				n = int32(NoPage)
			}
			at[i] = n
		}
		for i, url := range urls {
			id := PageID(at[i])
			if id == NoPage || prints[id] != keys[i] {
				n, ok := a.byURL.find(keys[i], func(n int32) bool { return prints[n] == keys[i] })
				id = PageID(n)
				if !ok {
					id = s.g.add(url, keys[i])
					fill()
				}
			}
			ids = append(ids, id)
		}
		return ids
	}
}
