package archive

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive/cdxj"
	"github.com/recrawl/recrawl/sitegraph"
)

// kin says which captures of a key answer for an address: many pages may share a key, and many
// sites.
type kin struct {
	url   string // canonical, or as it was given
	known map[string]kinship
}

// kinship is how near the address of a capture is, the nearest first.
type kinship uint8

const (
	itself kinship = iota
	otherScheme
	otherWWW // and perhaps the other scheme, too
	stranger
)

func newKin(url string) *kin { return &kin{identity(url), map[string]kinship{}} }

// identity is the canonical form of an address; what has none is its own.
func identity(url string) string {
	if canonical, err := sitegraph.Canonical(url); err == nil {
		return canonical
	}
	return url
}

func (k *kin) of(url string) kinship {
	if url == k.url {
		return itself
	}
	near, ok := k.known[url]
	if !ok {
		near = kinOf(k.url, identity(url))
		k.known[url] = near
	}
	return near
}

// kinOf compares canonical addresses.
func kinOf(a, b string) kinship {
	if a == b {
		return itself
	}
	schemeA, restA, okA := strings.Cut(a, "://")
	schemeB, restB, okB := strings.Cut(b, "://")
	hostA, pathA, _ := strings.Cut(restA, "/")
	hostB, pathB, _ := strings.Cut(restB, "/")
	if !okA || !okB || pathA != pathB ||
		schemeA != schemeB && strings.Contains(hostA+hostB, ":") { // a port is of one scheme
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

// nearest keeps the captures of the nearest kin that are nearest to a moment, by time.
func (k *kin) nearest(found []*cdxj.Capture, near time.Time, most int) []*cdxj.Capture {
	best := stranger
	for _, c := range found {
		best = min(best, k.of(c.URL))
	}
	if best == stranger {
		return nil
	}
	found = slices.DeleteFunc(found, func(c *cdxj.Capture) bool { return k.of(c.URL) > best })
	slices.SortStableFunc(found, func(a, b *cdxj.Capture) int {
		return cmp.Compare(a.Time.Sub(near).Abs(), b.Time.Sub(near).Abs())
	})
	found = found[:min(len(found), most)]
	slices.SortStableFunc(found, func(a, b *cdxj.Capture) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Date, b.Date))
	})
	return slices.CompactFunc(found, func(a, b *cdxj.Capture) bool {
		one, other := *a, *b
		one.Type, other.Type = "", "" // of a run nobody knows it
		return one == other
	})
}

// one keeps the captures of one address: that of the capture nearest to a moment.
func (k *kin) one(found []*cdxj.Capture, near time.Time) []*cdxj.Capture {
	if len(found) == 0 || k.of(found[0].URL) == itself {
		return found
	}
	first := slices.MinFunc(found, func(a, b *cdxj.Capture) int {
		return cmp.Compare(a.Time.Sub(near).Abs(), b.Time.Sub(near).Abs())
	})
	url := identity(first.URL)
	return slices.DeleteFunc(found, func(c *cdxj.Capture) bool { return identity(c.URL) != url })
}
