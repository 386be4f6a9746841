package eval

import (
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/planner/policy"
)

// Claims are those of one kind that were heard in a run: of sitemaps, feeds, or the header
// Last-Modified. The counts are of visits that compared a page with its copy, by what was said of
// the time since the visit before; visits of which nothing was said are in none.
type Claims struct {
	Kind    string `json:"kind"`
	Servers int    `json:"servers"` // that claimed anything
	Sources int    `json:"sources"` // that list a page at the end
	Pages   int    `json:"pages"`   // listed at the end
	True    int    `json:"true"`    // said to have changed, and had
	False   int    `json:"false"`   // said to have changed, and had not
	Missed  int    `json:"missed"`  // said to be the same, and had changed
	Same    int    `json:"same"`    // said to be the same, and was
}

// absent names the evidence that policies which take part go by and a recorded world does not have;
// nil if none of them would.
func (c *Corpus) absent(policies []string) []string {
	if !slices.ContainsFunc(policies, policy.GoesByClaims) {
		return nil
	}
	absent := []string{hints.Feed.String(), hints.Sitemap.String()}
	if !c.World.LastModified {
		absent = append(absent, hints.LastModified.String())
	}
	return absent
}

// claimsIn sums up what a corpus heard, by kind; nil where it never listened.
func claimsIn(c *planner.Corpus) []Claims {
	heard := c.Hints.Sources() // one of each server and kind
	var all []Claims
	for _, kind := range []hints.Kind{hints.Sitemap, hints.Feed, hints.LastModified} {
		sum := Claims{Kind: kind.String()}
		for _, s := range heard {
			if s.Kind != kind {
				continue
			}
			sum.Servers++
			sum.Sources += s.Sources
			sum.Pages += s.Pages
			sum.True += s.True
			sum.False += s.False
			sum.Missed += s.Missed
			sum.Same += s.Same
		}
		if sum.Servers > 0 {
			all = append(all, sum)
		}
	}
	return all
}
