package sitegraph

import (
	"strings"
	"time"
)

// Bounds decide which addresses may become known. A site can make endless addresses: calendars,
// sessions, sorted lists, links that grow. The rules are not certain, so they refuse only unknown
// addresses.
type Bounds struct {
	MaxBytes    int // of an address
	MaxSegments int // of its path
	MaxRepeats  int // of one segment in a path
	// MaxVariants bounds the known queries of one path, or Growth for each fetched one if that is
	// more.
	MaxVariants int
	OfPage      int // new pages of one visit to a page
	OfSource    int // new pages of one visit to a feed or sitemap
	FirstPages  int // known pages of a server with hardly any fetched page
	Growth      int // known pages for each fetched one, if that is more
	MaxPages    int // known pages of a server

	// Scope reports whether a page may become known at all; nil: any may.
	Scope func(url string) bool
}

// DefaultBounds are those of a crawl without other settings.
var DefaultBounds = Bounds{
	MaxBytes:    1000, // session data and whole forms are longer, and almost no page
	MaxSegments: 20,
	MaxRepeats:  3, // as in crawlers of archives: /a/b/a/b/a/b is a link that grows
	MaxVariants: 1000,
	OfPage:      1000,
	OfSource:    10_000,
	FirstPages:  2000,
	Growth:      10,
	MaxPages:    100_000,
}

// Refusal is why an address may not become known.
type Refusal uint8

const (
	RefusedNot      Refusal = iota
	RefusedLong             // more than MaxBytes
	RefusedDeep             // more than MaxSegments
	RefusedRepeats          // a segment more than MaxRepeats times
	RefusedCalendar         // a date years ahead, or long past in a query
	RefusedSession          // a session in the path
	RefusedVariants         // more than MaxVariants queries of the path
	RefusedOfVisit          // more than OfPage or OfSource new ones
	// RefusedGrowth: more than FirstPages, and than Growth for each fetched page: for now.
	RefusedGrowth
	RefusedServer // more than MaxPages of the server
	RefusedScope  // not in Scope
	Refusals      // their number
)

var refusalNames = [...]string{
	"not refused",
	"longer than an address of a page",
	"too many segments",
	"a segment again and again",
	"a date far off",
	"a session in its path",
	"too many queries of one path",
	"too many new pages of one visit",
	"too many pages for those fetched so far",
	"too many pages of the server",
	"out of the scope of the seeds",
}

func (r Refusal) String() string { return enumName(refusalNames[:], int(r)) }

// Refuse judges a canonical address by itself.
func (b *Bounds) Refuse(url string, now time.Time) Refusal {
	if b.Scope != nil && !b.Scope(url) {
		return RefusedScope
	}
	if len(url) > b.MaxBytes {
		return RefusedLong
	}
	path, query := splitAddress(url)
	segments, repeats, session := 0, countEmpty(path), false
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" {
			continue
		}
		segments++
		repeats = max(repeats, countSegment(path, segment))
		session = session || isSessionSegment(segment)
	}
	switch {
	case segments > b.MaxSegments:
		return RefusedDeep
	case repeats > b.MaxRepeats:
		return RefusedRepeats
	case session:
		return RefusedSession
	case isFarDate(path, query, now):
		return RefusedCalendar
	}
	return RefusedNot
}

// PagesOf returns how many pages of a server may be known when fetched of them were fetched.
func (b *Bounds) PagesOf(fetched int) int {
	return min(max(b.FirstPages, b.Growth*fetched), b.MaxPages)
}

// splitAddress returns path and query of a canonical address.
func splitAddress(url string) (path, query string) {
	_, rest, _ := strings.Cut(url, "://")
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return "", ""
	}
	path, query, _ = strings.Cut(rest[slash:], "?")
	return path, query
}

// countSegment counts a segment in a path. Paths have 1,000 bytes and few segments.
func countSegment(path, segment string) (count int) {
	for s := range strings.SplitSeq(path, "/") {
		if s == segment {
			count++
		}
	}
	return count
}

// countEmpty counts the segments between two slashes.
func countEmpty(path string) (count int) {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' && path[i-1] == '/' {
			count++
		}
	}
	return count
}

// PathOf returns an address without its query, and whether it has one.
func PathOf(url string) (path string, hasQuery bool) {
	path, _, hasQuery = strings.Cut(url, "?")
	return path, hasQuery
}
