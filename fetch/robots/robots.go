package robots

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// Rules are the rules of one robots.txt for one crawler. They never change after Parse.
type Rules struct {
	literal  *robotstxt.Group // rules without wildcards; nil: none
	prefixes []string         // their patterns, for the length of the matching one
	wild     []wildRule       // longest first, allow before disallow
	delay    time.Duration
	hasDelay bool
	sitemaps []string
	bytes    int
	print    uint64
}

// AllowAll returns rules that allow everything, for a missing robots.txt (RFC 9309 2.3.1.3).
func AllowAll() *Rules { return &Rules{print: fingerprint(nil)} }

// Allowed reports whether the crawler may ask for target, the path and query of a URL ("/a/b?c").
// The longest matching pattern decides, allow on a tie; without one everything is allowed (RFC 9309
// 2.2.2). Time is linear in target and in the patterns.
func (r *Rules) Allowed(target string) bool {
	if i := strings.IndexByte(target, '#'); i >= 0 {
		target = target[:i]
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	if target == "/robots.txt" {
		return true
	}
	path := normalizeTarget(target)
	wild := r.longestWild(path)
	if wild != nil {
		length := r.longestPrefix(path)
		if len(wild.pattern) > length || len(wild.pattern) == length && wild.allow {
			return wild.allow
		}
	}
	return r.literal == nil || r.literal.Test(path)
}

// Delay returns the pause between requests that the file asks for, at most MaxDelay, or false.
func (r *Rules) Delay() (time.Duration, bool) { return r.delay, r.hasDelay }

// Sitemaps returns the values of the Sitemap lines as written. They are for all crawlers (RFC 9309
// 2.2.4; sitemaps.org).
func (r *Rules) Sitemaps() []string { return r.sitemaps }

// Fingerprint is equal for rules that allow the crawler the same by the same patterns, in any
// process, and never 0. It ignores delays, sitemaps and groups of others.
func (r *Rules) Fingerprint() uint64 { return r.print }

// fingerprint of patterns (FNV-1a).
func fingerprint(allow map[string]bool) uint64 {
	h := fnv.New64a()
	for _, pattern := range slices.Sorted(maps.Keys(allow)) {
		fmt.Fprintf(h, "%v %s\n", allow[pattern], pattern)
	}
	return max(h.Sum64(), 1)
}

// Size returns about how many octets of memory the rules hold.
func (r *Rules) Size() int { return r.bytes }

func (r *Rules) longestPrefix(path string) int {
	longest := 0
	for _, p := range r.prefixes {
		if len(p) > longest && strings.HasPrefix(path, p) {
			longest = len(p)
		}
	}
	return longest
}

func (r *Rules) longestWild(path string) *wildRule {
	for i := range r.wild {
		if r.wild[i].matches(path) {
			return &r.wild[i]
		}
	}
	return nil
}
