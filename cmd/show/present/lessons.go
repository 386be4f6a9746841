package present

import (
	"fmt"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner"
)

// Lessons returns a table of what a policy has learnt from the visits of this store; no table if it
// learnt nothing.
func Lessons(lessons []planner.Lesson) []report.Table {
	if len(lessons) == 0 {
		return nil
	}
	t := report.Table{Title: "What the policy has learnt here",
		Header: []string{"what", "value", "about"}}
	for _, l := range lessons {
		t.Rows = append(t.Rows, []string{l.What, fmt.Sprintf("%.3g", l.Value), l.About})
	}
	return []report.Table{t}
}
