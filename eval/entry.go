package eval

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/eval/history"
)

// starts are the addresses at which a server is entered at a moment: its top page. A history
// without one, as of a focused crawl, is entered at the pages seen first: each page, in their
// order, to which those before it do not lead as they stand then.
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

// EnteredAt says at which pages a history without a top page is entered so many weeks after the
// start of the window; "" for any other.
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

// EntryError says that a server cannot be entered at a base, and what would help.
type EntryError struct{ Reason, Advice string }

func (e *EntryError) Error() string { return e.Reason }

// Hint says what would help.
func (e *EntryError) Hint() string { return e.Advice }

// CheckEntry refuses a server that cannot be entered so many weeks after the start of the window:
// its top page does not exist then, or it has none and no other page either. It finds out when the
// top page does. The error is an *EntryError.
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
