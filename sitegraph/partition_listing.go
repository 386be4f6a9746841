package sitegraph

import (
	"cmp"
	"slices"
	"strings"
)

// listing numbers the counted pages of a server by address, densely. So results do not depend on
// the order of discovery, and are in flat slices.
type listing struct {
	*Graph
	server  ServerID
	pages   []PageID // by number
	paths   []string // by number: addresses from the path on, in ascending order
	numbers []int32  // by place among ServerPages; -1: not counted
	places  places
	counts  func(PageID) bool // may be nil
}

// list returns the listing of the pages that count: reached within MaxDepth and accepted by counts,
// if that is not nil.
func (g *Graph) list(s ServerID, counts func(PageID) bool) *listing {
	all := g.ServerPages(s)
	l := &listing{
		Graph:   g,
		server:  s,
		numbers: make([]int32, len(all)),
		places:  newPlaces(all),
		counts:  counts,
	}
	type entry struct {
		path  string
		place int32
	}
	entries := make([]entry, 0, len(all))
	authority := len("://") + len(g.ServerName(s))
	for place, p := range all {
		l.numbers[place] = -1
		if g.Depth(p) == 0 || counts != nil && !counts(p) {
			continue
		}
		path := g.URL(p)
		if i := strings.Index(path, "://"); i >= 0 {
			path = path[i+authority:]
		}
		entries = append(entries, entry{path, int32(place)})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		// A path may be known by http and by https.
		return cmp.Or(
			strings.Compare(a.path, b.path),
			strings.Compare(g.URL(all[a.place]), g.URL(all[b.place])),
		)
	})
	l.pages, l.paths = make([]PageID, len(entries)), make([]string, len(entries))
	for i, e := range entries {
		l.pages[i], l.paths[i] = all[e.place], e.path
		l.numbers[e.place] = int32(i)
	}
	return l
}

// number returns the number of a page of the server, -1 if it does not count.
func (l *listing) number(p PageID) int32 { return l.numbers[l.places.of(p)] }

// targets appends the numbers of the counted pages that page i links to, also through redirects,
// without itself and each once. seen, one entry a page, has i+1 for those already met.
func (l *listing) targets(to []int32, i int, seen []int32) []int32 {
	for _, q := range l.Links(l.pages[i]) {
		j := l.number(q)
		if j < 0 {
			j = l.number(l.Through(q, l.counts))
		}
		if j >= 0 && int(j) != i && seen[j] != int32(i)+1 {
			seen[j] = int32(i) + 1
			to = append(to, j)
		}
	}
	return to
}

// inLinks counts for each page the other counted pages that link to it.
func (l *listing) inLinks() []int32 {
	in, seen := make([]int32, len(l.pages)), make([]int32, len(l.pages))
	var to []int32
	for i := range l.pages {
		to = l.targets(to[:0], i, seen)
		for _, j := range to {
			in[j]++
		}
	}
	return in
}

// places finds the place of a page among those of its server. Their numbers ascend, but a crawl of
// many servers mixes them. So they are cut into about as many equal spans as there are pages, and a
// span is searched.
type places struct {
	pages []PageID
	shift uint
	first []int32 // by span: place of its first page; one more at the end; nil: all in a row
}

func newPlaces(pages []PageID) places {
	l := places{pages: pages}
	if len(pages) == 0 {
		return l
	}
	spans := func() int { return int(pages[len(pages)-1]-pages[0])>>l.shift + 1 }
	if spans() == len(pages) {
		return l
	}
	for spans() > 2*len(pages) {
		l.shift++
	}
	l.first = make([]int32, spans()+1)
	span := 0
	for place, p := range pages {
		for ; span <= int(p-pages[0])>>l.shift; span++ {
			l.first[span] = int32(place)
		}
	}
	l.first[span] = int32(len(pages))
	return l
}

// of returns the place of a page of the server.
func (l *places) of(p PageID) int32 {
	if l.first == nil {
		return int32(p - l.pages[0])
	}
	span := (p - l.pages[0]) >> l.shift
	low, high := l.first[span], l.first[span+1]
	for high-low > 1 {
		if middle := (low + high) / 2; l.pages[middle] <= p {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
