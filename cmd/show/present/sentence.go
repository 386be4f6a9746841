package present

import (
	"fmt"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// InLine sets the time at which the visit may begin, roughly. Turn then counts only the visits to
// the server of the page.
func (e *Page) InLine(at time.Time) { e.at = at }

// Sentence says in words what visits saw of the page, how probably it has changed, and when its
// next visit is.
func (e *Page) Sentence(now time.Time) string {
	denied, ok := strings.CutPrefix(e.Reason, crawl.NotAsked)
	switch {
	case !ok:
		return e.past(now) + " " + e.next(now)
	case e.Turn == 0:
		return e.past(now) + " It is not asked: " + denied + "."
	}
	return e.past(now) + " The last process did not ask: " + denied + ". " + e.next(now)
}

func (e *Page) past(now time.Time) string {
	switch {
	case e.State == sitegraph.StateSource.String():
		return "This is a feed or sitemap."
	case e.Visits == 0 && e.State == sitegraph.StateNew.String() && e.Errors > 0:
		return fmt.Sprintf("It was never fetched: %s failed.",
			words.Plural(int(e.Errors), "visit"))
	case e.Visits == 0 && e.State == sitegraph.StateNew.String():
		return "It was never fetched."
	case e.Visits == 0:
		return fmt.Sprintf("It never held a page: it is %s (status %d).", e.State, e.Status)
	}
	seen := fmt.Sprintf("%s saw no change", words.Plural(int(e.Visits), "visit"))
	if e.Changes > 0 {
		seen = fmt.Sprintf("%s saw %s", words.Plural(int(e.Visits), "visit"),
			words.Plural(int(e.Changes), "change"))
		if e.LastChange != nil {
			seen += fmt.Sprintf(", the last one %s ago", words.Span(now.Sub(*e.LastChange)))
		}
	}
	if e.State != sitegraph.StateAlive.String() {
		return fmt.Sprintf("It is %s since a visit found it so; before, %s.", e.State, seen)
	}
	text := seen + "; "
	text += fmt.Sprintf("the copy is %s old", words.Span(now.Sub(*e.LastVisit)))
	if e.Fresh != nil {
		text += fmt.Sprintf(" and up to date with a probability of %.0f %%", 100**e.Fresh)
	}
	return text + "." + e.Site.sentence()
}

// sentence names the site of a page and its top, by the division that the policy uses.
func (s *site) sentence() string {
	pages := words.Plural(s.Pages, "page")
	switch {
	case !s.InUse || s.Pages < 2:
		return ""
	case s.IsTop:
		return fmt.Sprintf(" It is the top of a site of %s.", pages)
	case len(s.Tops) == 0:
		return fmt.Sprintf(" Its site has %s.", pages)
	}
	return fmt.Sprintf(" Its site has %s, and the top %s.", pages, s.Tops[0])
}

func (e *Page) next(now time.Time) string {
	switch {
	case e.Turn > 0 && !e.at.IsZero() && !e.at.After(now):
		return "It is the next page of its server to be visited."
	case e.Turn > 0 && !e.at.IsZero():
		return fmt.Sprintf("It waits for its turn, in about %s.", words.Span(e.at.Sub(now)))
	case e.Turn > 0:
		return fmt.Sprintf("It is visit %d of the round that ends %s. The reason, as of then: %s.",
			e.Turn, words.UTC(e.round.End), reasonOr(e.why))
	case e.Due == nil && e.WhyNot != "":
		return "It is not in this round: " + e.WhyNot + "."
	case e.Due == nil:
		return "No visit is planned."
	case e.Due.After(now):
		return fmt.Sprintf("The next visit is due in %s, because %s.",
			words.Span(e.Due.Sub(now)), reasonOr(e.Reason))
	case e.WhyNot != "":
		return fmt.Sprintf("It has been due for %s, and is not in this round: %s.",
			words.Span(now.Sub(*e.Due)), e.WhyNot)
	}
	return fmt.Sprintf("It has been due for %s, because %s.", words.Span(now.Sub(*e.Due)),
		reasonOr(e.Reason))
}

func reasonOr(reason string) string {
	if reason == "" {
		return "the policy planned it"
	}
	return reason
}
