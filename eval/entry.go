package eval

import (
	"fmt"

	"github.com/recrawl/recrawl/eval/history"
)

// EntryError says that a server cannot be entered at a base, and what would help.
type EntryError struct{ Reason, Hint string }

func (e *EntryError) Error() string { return e.Reason }

// CheckEntry refuses a server whose top page, where it is entered, does not exist so many weeks
// after the start of the window, and finds out when it does. The error is an *EntryError.
func CheckEntry(s *history.Server, base int) error {
	const why = "a server is entered at its top page, and depths are counted from there"
	top := topPage(s)
	page := s.Page(top)
	if page == nil {
		return &EntryError{fmt.Sprintf("the history of %s has no top page %s", s.Name, top), why}
	}
	if page.At(s.Week(base)).Alive() {
		return nil
	}
	for w := range WindowWeeks {
		if page.At(s.Week(w)).Alive() {
			return &EntryError{
				Reason: fmt.Sprintf("the top page of %s does not exist at week %d", s.Name, base),
				Hint:   fmt.Sprintf("it does at week %d: --base %d", w, w),
			}
		}
	}
	return &EntryError{fmt.Sprintf("the top page of %s exists at no week of the window", s.Name),
		why}
}
