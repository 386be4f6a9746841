package eval

import (
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
)

// Claims are those of one kind that were heard in a run: of sitemaps, feeds, or the header
// Last-Modified. Sources and pages are those at the end of the run.
type Claims struct {
	Kind    string `json:"kind"`
	Servers int    `json:"servers"` // that claimed anything
	planner.HintCounts
}

// absent names the evidence that policies which take part go by and a recorded world does not have;
// nil if none of them would.
func (c *Dataset) absent(policies []string) []string {
	if !slices.ContainsFunc(policies, policy.GoesByClaims) {
		return nil
	}
	absent := []string{planner.Feed.String(), planner.Sitemap.String()}
	if !c.World.LastModified {
		absent = append(absent, planner.LastModified.String())
	}
	return absent
}

// claimsIn sums up what a corpus heard, by kind; nil where it never listened.
func claimsIn(c *planner.Pages) []Claims {
	heard := c.Hints.Sources() // one of each server and kind
	var all []Claims
	for _, kind := range []planner.HintKind{planner.Sitemap, planner.Feed, planner.LastModified} {
		sum := Claims{Kind: kind.String()}
		for _, s := range heard {
			if s.Kind != kind {
				continue
			}
			sum.Servers++
			sum.Add(s.HintCounts)
		}
		if sum.Servers > 0 {
			all = append(all, sum)
		}
	}
	return all
}
