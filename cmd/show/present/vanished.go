package present

import (
	"maps"
	"slices"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// vanished lists the directories that are not visited because their pages were gone.
type vanished struct {
	All         int                  `json:"all"`
	Directories map[string]time.Time `json:"directories"` // some of them, with the end of the pause
}

// noVanished returns the list before a run ends.
func noVanished() vanished { return vanished{Directories: map[string]time.Time{}} }

func vanishedOf(loop *crawl.Loop) (v vanished) {
	v.Directories, v.All = loop.Vanished(shownServers)
	return v
}

// tables returns the tables; none if nothing has vanished.
func (v *vanished) tables() []report.Table {
	if v.All == 0 {
		return nil
	}
	t := report.Table{Title: "Directories not asked for, because their pages are gone: " +
		words.Count(v.All),
		Header: []string{"directory", "until"}}
	for _, dir := range slices.Sorted(maps.Keys(v.Directories)) {
		t.Rows = append(t.Rows, []string{dir, v.Directories[dir].UTC().Format("2006-01-02 15:04")})
	}
	return []report.Table{t}
}
