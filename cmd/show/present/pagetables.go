package present

import (
	"cmp"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Tables returns the page for people: what is known, the policy's plans, and the estimates.
func (e *Page) Tables() []report.Table {
	tables := []report.Table{e.knownTable()}
	if e.Evidence != nil {
		tables = append(tables, e.Evidence.table())
		if len(e.Evidence.Experts) > 0 {
			tables = append(tables, e.Evidence.experts())
		}
	}
	if len(e.Estimates) > 0 {
		tables = append(tables, estimateTable(e.Estimates), report.Table{Note: estimatesNote})
	}
	return tables
}

func (e *Page) knownTable() report.Table {
	digest := "-"
	if e.Digest != nil {
		digest = *e.Digest
	}
	t := report.Table{Title: e.URL, Header: []string{"what", "is"}, Rows: [][]string{
		{"planned", e.planned()},
		{"due", orNone(e.Due)},
		{"because", orDash(e.Reason)},
		{"state", e.standing()},
		{"server, depth", fmt.Sprintf("%s, %d", e.Server, e.Depth)},
		{"site", e.Site.String()},
		{"found on", orDash(e.Referer)},
		{"first copy, last visit", orNone(e.FirstCopy) + ", " + orNone(e.LastVisit)},
		{"visits, changes seen", fmt.Sprintf("%d, %d", e.Visits, e.Changes)},
		{"last change seen", orNone(e.LastChange)},
		{"changes a day", e.changesADay()},
		{"ETag, Last-Modified", orDash(e.ETag) + ", " + orNone(e.LastModified)},
		{"digest", digest},
		{"hint", e.Hint.String()},
	}}
	if e.Weight != 1 {
		t.Rows = append(t.Rows, []string{"weight", fmt.Sprint(float32(e.Weight))})
	}
	return t
}

// changesADay returns the rate with its interval.
func (e *Page) changesADay() string {
	if within := e.Range(); within != "" {
		return e.Rate.String() + " (95 %: " + within + ")"
	}
	return e.Rate.String()
}

// planned returns when the page is visited, or why it is not.
func (e *Page) planned() string {
	if e.round.End.IsZero() {
		return "no round began yet since recrawl started"
	}
	end := words.UTC(e.round.End)
	if e.Turn > 0 && !e.at.IsZero() {
		return fmt.Sprintf("in line: visit %d of its server, at about %s", e.Turn, words.UTC(e.at))
	}
	if e.Turn > 0 {
		return fmt.Sprintf("in the round that ends %s: visit %d", end, e.Turn)
	}
	text := "not in the round that ends " + end
	if e.WhyNot != "" {
		text += ": " + e.WhyNot
	}
	return text
}

// standing returns the state of the page, and the doubts about it.
func (e *Page) standing() string {
	failures := words.Plural(int(e.Errors), "failure")
	text := fmt.Sprintf("%s (last status %d, %s in a row)", e.State, e.Status, failures)
	switch {
	case e.Misses > 0 && e.State == sitegraph.StateAlive.String():
		answers := words.Plural(int(e.Misses), "answer")
		text += fmt.Sprintf("; its last %s said that the page is gone, which is not certain yet",
			answers)
	case e.Misses > 1:
		text += fmt.Sprintf("; visited %s since it left", words.Plural(int(e.Misses)-1, "time"))
	}
	if e.Rejected {
		text += "; a filter rejects it"
	}
	if e.NoIndex {
		text += "; it asks not to be indexed"
	}
	return text
}

func (s *site) String() string {
	role := "member"
	if s.IsTop {
		role = "top"
	}
	if len(s.Tops) == 0 {
		return fmt.Sprintf("%s of %s, without a top; division %s", role,
			words.Plural(s.Pages, "page"), s.Division)
	}
	tops := words.Shorten(s.Tops, ShownTops, " ")
	if len(s.Tops) > ShownTops {
		tops += " (--json has all)"
	}
	return fmt.Sprintf("%s of %s; top %s; division %s", role, words.Plural(s.Pages, "page"), tops,
		s.Division)
}

func orNone(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

func orDash(s string) string { return cmp.Or(s, "-") }
