package planner_test

import (
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// listener is a policy that records the pages with new claims.
type listener struct {
	planner.Policy
	hinted []sitegraph.PageID
}

func (l *listener) RanksAll() bool            { return true }
func (l *listener) Begin(planner.Round)       {}
func (l *listener) Hinted(p sitegraph.PageID) { l.hinted = append(l.hinted, p) }

// TestHinter checks that a policy learns of the pages with new claims, and no others.
func TestHinter(t *testing.T) {
	c, source := simtest.Claimed(t, 2, simtest.ClaimsBase.Add(2*time.Hour))
	policy := &listener{}
	p := planner.New(c, policy, planner.Options{})
	said := []planner.Claim{{Page: source + 1, Modified: simtest.ClaimsBase.Add(time.Hour),
		Every: 0},
		{Page: source + 2}}
	p.UpdateHints(source, planner.Sitemap, said, true)
	p.UpdateHints(source, planner.Sitemap, said, true)
	if len(policy.hinted) != 1 || policy.hinted[0] != source+1 {
		t.Errorf("told of %v", policy.hinted)
	}
}
