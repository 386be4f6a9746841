package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// notAsked counts the pages that one kind of setting of the user refuses.
type notAsked struct {
	By    string `json:"by"` // address, port or guard
	Pages int    `json:"pages"`
	// What has examples of refused pages or settings. Why is the reason for people, with the flag
	// that allows them.
	What []string `json:"what"`
	Why  string   `json:"why"`
}

// shownDenied bounds the examples of a kind.
const shownDenied = 3

// notAskedOf groups the refused pages of a corpus, the most pages first.
func notAskedOf(c *planner.Pages) []notAsked {
	all := []notAsked{}
	for by := sitegraph.DeniedByAddress; by <= sitegraph.DeniedByGuard; by++ {
		n := notAsked{By: by.String(), What: []string{}}
		more := false
		for _, d := range c.Denied() {
			if d.By != by {
				continue
			}
			n.Pages += d.Pages
			if more = more || d.What == "" || len(n.What) == shownDenied; !more {
				n.What = append(n.What, d.What)
			}
		}
		if n.Pages == 0 {
			continue
		}
		whats := n.What
		if more {
			whats = append(slices.Clone(whats), "")
		}
		n.Why = sitegraph.DenialText(by, n.Pages, whats)
		all = append(all, n)
	}
	slices.SortStableFunc(all, func(a, b notAsked) int { return b.Pages - a.Pages })
	return all
}

// sayNotAsked returns a sentence for each kind, with a blank in front; "" if there is none.
func sayNotAsked(all []notAsked) string {
	var b strings.Builder
	for _, n := range all {
		was := "were"
		if n.Pages == 1 {
			was = "was"
		}
		fmt.Fprintf(&b, " %s %s not asked: %s.", words.Plural(n.Pages, "page"), was, n.Why)
	}
	return b.String()
}

// Denied returns the reason for which settings refuse the first of some pages.
func Denied(d sitegraph.Denial) string { return "a page is not asked: " + d.String() }
