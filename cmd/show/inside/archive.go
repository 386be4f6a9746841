package inside

import (
	"fmt"
	"strconv"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostFailed is how many pages that failed are named.
const mostFailed = 20

// ArchiveFinding says in a few sentences what an archive has.
func ArchiveFinding(s *archive.Status) string {
	text := fmt.Sprintf("%s kept, in %s and %s of %s.", words.Plural(s.Pages, "page"),
		words.Plural(s.Captures, "capture"), words.Plural(s.Files, "file"),
		words.Plural(int(s.Bytes), "byte"))
	if s.Pages > 0 {
		text += fmt.Sprintf(" The first capture is of %s, the last one of %s.", words.UTC(s.Oldest),
			words.UTC(s.Newest))
	}
	if s.Left > 0 {
		text += fmt.Sprintf(" Gone, moved or refused at the last capture: %s. Earlier copies "+
			"are kept.", words.Plural(s.Left, "page"))
	}
	missing := 0
	for _, f := range s.Fails {
		if !f.Kept {
			missing++
		}
	}
	if missing > 0 {
		text += fmt.Sprintf(" Nothing is kept of %s, because no visit brought a copy.",
			words.Plural(missing, "page"))
	}
	if n := s.Requisites; n.Kept > 0 {
		text += fmt.Sprintf(" Files that pages show: %s kept, in %s of %s.",
			words.Plural(n.Kept, "file"), words.Plural(n.Captures, "capture"),
			words.Plural(int(n.Bytes), "byte"))
	}
	if n := s.Requisites.Waiting; n > 0 {
		text += fmt.Sprintf(" Not yet asked for: %s that pages show.", words.Plural(n, "file"))
	}
	if n := s.Requisites.Unkept; n > 0 {
		text += fmt.Sprintf(" Without a copy: %s that pages show.", words.Plural(n, "file"))
	}
	return text
}

// ArchiveTables return the freshness of the pages, their kinds, and the failures.
func ArchiveTables(s *archive.Status) []report.Table {
	fresh := report.Table{Title: "how fresh", Header: []string{"seen within", "pages"}}
	for _, a := range s.Ages {
		within := "before"
		if a.Days > 0 {
			within = words.Plural(a.Days, "day")
		}
		fresh.Rows = append(fresh.Rows, []string{within, strconv.Itoa(a.Pages)})
	}
	kinds := report.Table{Title: "kinds", Header: []string{"type", "pages", "bytes stored"}}
	for _, k := range s.Kinds {
		name := k.Type
		if name == "" {
			name = "not known"
		}
		kinds.Rows = append(kinds.Rows,
			[]string{name, strconv.Itoa(k.Pages), words.Grouped(k.Bytes)})
	}
	tables := []report.Table{fresh, kinds}
	if len(s.Fails) == 0 {
		return tables
	}
	failed := report.Table{Title: "what failed", Header: []string{"page", "last visit", "in a row",
		"kept", "why"}}
	for i, f := range s.Fails {
		if i == mostFailed {
			failed.Note = fmt.Sprintf("... and %d more: --json has all", len(s.Fails)-i)
			break
		}
		kept := "no"
		if f.Kept {
			kept = "before"
		}
		failed.Rows = append(failed.Rows,
			[]string{f.URL, words.UTC(f.Time), strconv.Itoa(f.Visits), kept, f.Why})
	}
	return append(tables, failed)
}
