package archive

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// wanted selects the captures of a key that answer for a URL. Many pages and sites may share a key.
type wanted struct {
	url   string // canonical, or as given
	known map[string]nearness
}

// nearness is the similarity of two URLs, nearest first.
type nearness uint8

const (
	itself nearness = iota
	otherScheme
	otherWWW // and perhaps also the other scheme
	stranger
)

func newWanted(url string) *wanted { return &wanted{identity(url), map[string]nearness{}} }

// identity returns the canonical form of a URL, or the URL itself if it has none.
func identity(url string) string {
	if canonical, err := sitegraph.Canonical(url); err == nil {
		return canonical
	}
	return url
}

func (w *wanted) of(url string) nearness {
	if url == w.url {
		return itself
	}
	near, ok := w.known[url]
	if !ok {
		near = nearnessOf(w.url, identity(url))
		w.known[url] = near
	}
	return near
}

// nearnessOf compares canonical addresses.
func nearnessOf(a, b string) nearness {
	if a == b {
		return itself
	}
	schemeA, restA, okA := strings.Cut(a, "://")
	schemeB, restB, okB := strings.Cut(b, "://")
	hostA, pathA, _ := strings.Cut(restA, "/")
	hostB, pathB, _ := strings.Cut(restB, "/")
	if !okA || !okB || pathA != pathB ||
		schemeA != schemeB && strings.Contains(hostA+hostB, ":") { // a port belongs to one scheme
		return stranger
	}
	switch {
	case hostA == hostB:
		return otherScheme
	case withoutWWW(hostA) == withoutWWW(hostB):
		return otherWWW
	}
	return stranger
}

func withoutWWW(host string) string {
	if rest, ok := strings.CutPrefix(host, "www."); ok && strings.Contains(rest, ".") {
		return rest
	}
	return host
}

// nearest returns the captures of the most similar URL that are nearest to a moment, by time.
func (w *wanted) nearest(found []*Capture, near time.Time, most int) []*Capture {
	best := stranger
	for _, c := range found {
		best = min(best, w.of(c.URL))
	}
	if best == stranger {
		return nil
	}
	found = slices.DeleteFunc(found, func(c *Capture) bool { return w.of(c.URL) > best })
	slices.SortStableFunc(found, func(a, b *Capture) int {
		return cmp.Compare(a.Time.Sub(near).Abs(), b.Time.Sub(near).Abs())
	})
	found = found[:min(len(found), most)]
	slices.SortStableFunc(found, func(a, b *Capture) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Date, b.Date))
	})
	return slices.CompactFunc(found, func(a, b *Capture) bool {
		one, other := *a, *b
		one.Type, other.Type = "", "" // unknown for captures of a run
		one.Chunked, other.Chunked = false, false
		return one == other
	})
}

// one returns the captures of one URL: that of the capture nearest to a moment.
func (w *wanted) one(found []*Capture, near time.Time) []*Capture {
	if len(found) == 0 || w.of(found[0].URL) == itself {
		return found
	}
	first := slices.MinFunc(found, func(a, b *Capture) int {
		return cmp.Compare(a.Time.Sub(near).Abs(), b.Time.Sub(near).Abs())
	})
	url := identity(first.URL)
	return slices.DeleteFunc(found, func(c *Capture) bool { return identity(c.URL) != url })
}
