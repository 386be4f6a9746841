package planner

import (
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/sitegraph"
)

// listener is a policy that writes down what it is told of.
type listener struct {
	Policy
	hinted []sitegraph.PageID
}

func (l *listener) Begin(Round)               {}
func (l *listener) Hinted(p sitegraph.PageID) { l.hinted = append(l.hinted, p) }

// TestHinter: a policy is told of the pages of which something new is said, and no others.
func TestHinter(t *testing.T) {
	c, source := claimed(t, 2, hintsBase.Add(2*time.Hour))
	policy := &listener{}
	p := New(c, policy, Options{})
	said := []hints.Claim{{Page: source + 1, Modified: hintsBase.Add(time.Hour), Every: 0}, {Page: source + 2}}
	p.Hear(source, hints.Sitemap, said, true)
	p.Hear(source, hints.Sitemap, said, true)
	if len(policy.hinted) != 1 || policy.hinted[0] != source+1 {
		t.Errorf("told of %v", policy.hinted)
	}
}
