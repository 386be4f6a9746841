package present

import (
	"fmt"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// whyNone returns why a dry run found no visit.
func whyNone(ahead *crawl.Preview, p *planner.Planner, policy string, perDay float64) string {
	known := knownPages(p)
	open, waiting := openPages(p.Pages)
	switch {
	case known == 0:
		return "no page is known."
	case open == 0:
		return fmt.Sprintf("of %s known, all are gone, moved or excluded.",
			words.Plural(known, "page"))
	case perDay == 0:
		return "the budget is 0."
	case ahead.Current.Budget == 0 && ahead.Next.Budget == 0:
		return fmt.Sprintf(
			"the budget of %v a day leaves no fetch for this round and none for the next.",
			perDay,
		)
	case ahead.Next.Budget == 0:
		return fmt.Sprintf(
			"this round is done, and the budget of %v a day leaves no fetch for the next.",
			perDay,
		)
	case p.Unused() > 0:
		return fmt.Sprintf(
			"no visit is worth the least value of %.3g, and the budget stays unused.",
			p.LeastValue())
	case len(p.Unfit()) > 0:
		return "no wanted visit fits into the budgets."
	case waiting == open:
		return words.Plural(waiting, "page") + " could be visited, and all wait after failures."
	case waiting > 0:
		return fmt.Sprintf(
			"of %s, %d wait after failures, and policy %s asks for none of the others.",
			words.Plural(open, "page"),
			waiting,
			policy,
		)
	}
	return fmt.Sprintf(
		"%s visited, and policy %s asks for none of them again in these rounds.",
		words.Plural(open, "page"),
		policy,
	)
}

// knownPages returns the number of pages without feeds and sitemaps.
func knownPages(p *planner.Planner) int { return p.Pages.Count() - p.KnownSources() }

// openPages counts the pages that may be visited, and of these the pages that wait after failures.
func openPages(c *planner.Pages) (open, waiting int) {
	for page := range sitegraph.PageID(c.Count()) {
		m := c.Memory(page)
		if m.State != sitegraph.StateNew && m.State != sitegraph.StateAlive {
			continue
		}
		open++
		if m.Errors > 0 {
			waiting++
		}
	}
	return open, waiting
}
