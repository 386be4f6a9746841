package eval

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/eval/history"
)

// starts returns the URLs at which a server is entered at a time: its top page. A history without
// one, for example of a focused crawl, is entered at the pages seen first: each page, in order,
// that earlier ones do not lead to at that time.
func starts(s *history.Server, at int64) (all []string) {
	if top := topPage(s); s.Page(top) != nil || len(s.Pages) == 0 {
		return []string{top}
	}
	reached := map[string]bool{}
	for _, p := range s.Pages {
		if reached[p.URL] || !p.At(at).Alive() {
			continue
		}
		all = append(all, p.URL)
		reached[p.URL] = true
		for open := []*history.Page{p}; len(open) > 0; {
			v := open[0].At(at)
			open = open[1:]
			for _, url := range v.Links {
				if to := s.Page(url); to != nil && !reached[url] && to.At(at).Alive() {
					reached[url] = true
					open = append(open, to)
				}
			}
		}
	}
	return all
}

// EnteredAt returns a note with the start pages of a history without a top page, weeks after the
// start of the window, or "" for other histories.
func EnteredAt(s *history.Server, base int) string {
	if s.Page(topPage(s)) != nil {
		return ""
	}
	all := starts(s, s.Week(base))
	if len(all) == 0 {
		return ""
	}
	named := strings.Join(all[:min(len(all), 3)], ", ")
	if more := len(all) - 3; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the history of %s has no top page; it is entered at the pages seen first: %s",
		s.Name, named)
}

// EntryError means that a server cannot be entered at a base, with advice.
type EntryError struct{ Reason, Advice string }

func (e *EntryError) Error() string { return e.Reason }

// Hint returns the advice.
func (e *EntryError) Hint() string { return e.Advice }

// CheckEntry returns an *EntryError for a server that cannot be entered at a base, in weeks after
// the start of the window. Its top page does not exist then, or it has no page at all. The error
// names the weeks when the top page exists.
func CheckEntry(s *history.Server, base int) error {
	const why = "a server is entered at its top page, and depths are counted from there"
	top := topPage(s)
	page := s.Page(top)
	if page == nil {
		if len(starts(s, s.Week(base))) > 0 {
			return nil
		}
		return &EntryError{fmt.Sprintf("the history of %s has no top page %s, and none of its "+
			"pages exists at week %d", s.Name, top, base), why}
	}
	if page.At(s.Week(base)).Alive() {
		return nil
	}
	for w := range WindowWeeks {
		if page.At(s.Week(w)).Alive() {
			return &EntryError{
				Reason: fmt.Sprintf("the top page of %s does not exist at week %d", s.Name, base),
				Advice: fmt.Sprintf("it does at week %d: --base %d", w, w),
			}
		}
	}
	return &EntryError{fmt.Sprintf("the top page of %s exists at no week of the window", s.Name),
		why}
}
