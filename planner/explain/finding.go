package explain

import (
	"fmt"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/sitegraph"
)

// Finding says in a sentence or two when the page is visited next and why, or why it is not, and
// what was seen of it so far.
func (e *Page) Finding() string {
	text := e.next()
	switch {
	case e.Visits == 0:
		text += " It has not been fetched yet."
	case e.State == sitegraph.StateGone.String():
		text += fmt.Sprintf(" It is gone since %s.", orNone(e.LastVisit))
	case e.Changes == 0:
		text += fmt.Sprintf(" No change was seen in %s.", report.Plural(int(e.Visits), "visit"))
	default:
		text += fmt.Sprintf(" %s seen in %s, the last at %s.", report.Plural(int(e.Changes), "change"),
			report.Plural(int(e.Visits), "visit"), orNone(e.LastChange))
	}
	return text
}

// next says when the page is visited next.
func (e *Page) next() string {
	end := report.UTC(e.round.End)
	switch {
	case e.Turn > 0:
		return fmt.Sprintf("The page is visit %d of the round that ends %s%s.", e.Turn, end, because(e.why))
	case e.WhyNot != "":
		return fmt.Sprintf("The page is not visited before %s: %s.", end, e.WhyNot)
	case e.Due != nil:
		return fmt.Sprintf("The page is next due at %s, not in the round that ends %s%s.", orNone(e.Due), end, because(e.Reason))
	}
	return fmt.Sprintf("The page is not visited before %s.", end)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}
