package eval

import (
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
)

// Claims counts the claims of one kind in a run: of sitemaps, feeds, or the header Last-Modified.
// Sources and pages are those at the end of the run.
type Claims struct {
	Kind    string `json:"kind"`
	Servers int    `json:"servers"` // servers with a claim
	planner.HintCounts
}

// absent returns the evidence that these policies use and a recorded world lacks, or nil.
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

// claimsIn summarizes the claims that a corpus got, by kind, or returns nil if it ignored claims.
func claimsIn(c *planner.Pages) []Claims {
	heard := c.Hints.Sources() // one for each server and kind
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
