package tidy

import (
	"errors"

	"github.com/recrawl/recrawl/eval/papers"
)

// Period is a row of Periods.
type Period struct {
	Group   string `parquet:"group,dict" doc:"servers of the row: a group, or total"`
	Weeks   int64  `parquet:"weeks" unit:"weekly snapshots" doc:"N: the last one is N-1 weeks after the base"`
	Base    int64  `parquet:"base" unit:"weeks" doc:"from the start of a server's window to the first snapshot"`
	Servers int64  `parquet:"servers" doc:"servers of the group that have a page at the base"`
	Absent  int64  `parquet:"absent" doc:"servers of the group without one: in no other count"`

	Pages    int64    `parquet:"pages" doc:"pages that the first and the last snapshot have"`
	Vanished int64    `parquet:"vanished" unit:"pages" doc:"of the first snapshot, not alive at the last: in no share"`
	New      int64    `parquet:"new" unit:"pages" doc:"of the last snapshot, not alive at the first: in no share"`
	Returned int64    `parquet:"returned" unit:"pages" doc:"that a snapshot between lacks"`
	Updated  int64    `parquet:"updated" unit:"pages" doc:"with two successive snapshots that differ"`
	UpdatedS *float64 `parquet:"updated_share" doc:"updated / pages"`
	Differ   int64    `parquet:"differ" unit:"pages" doc:"whose first and last snapshot differ"`
	DifferS  *float64 `parquet:"differ_share" doc:"differ / pages"`
	Tops     int64    `parquet:"tops" doc:"pages of depth 1"`
	TopsU    int64    `parquet:"tops_updated" doc:"updated ones"`
	TopsS    *float64 `parquet:"tops_updated_share" doc:"tops_updated / tops"`

	TopServers int64    `parquet:"top_servers" doc:"servers with an updated top"`
	TopPages   int64    `parquet:"top_pages" doc:"pages of these servers"`
	TopUpdated int64    `parquet:"top_updated" doc:"updated ones of these pages"`
	OfUpdated  *float64 `parquet:"of_updated" doc:"top_updated / updated [LINK table 3, row 1]"`
	OfPages    *float64 `parquet:"of_pages" doc:"top_updated / top_pages [row 2]"`
	OfServers  *float64 `parquet:"of_servers" doc:"top_servers / servers [row 4]"`
}

// Periods shows how servers change.
var Periods = NewKind[Period]("periods", "a period of a group of servers, of `survey`")

// Updates is a row of PageUpdates.
type Updates struct {
	Group   string `parquet:"group,dict" doc:"servers of the row: a group, or total"`
	Weeks   int64  `parquet:"weeks" unit:"weekly snapshots" doc:"N: the last one is N-1 weeks after the base"`
	Updates int64  `parquet:"updates" doc:"updates of a page, from 0 to N-1"`
	Pages   int64  `parquet:"pages" doc:"pages with this number of updates"`
}

// PageUpdates shows how often pages were updated [LINK fig. 10, 11].
var PageUpdates = NewKind[Updates]("updates", "one number of updates, and how many pages have it, of `survey`")

// Interval is a row of Intervals.
type Interval struct {
	Unit     string   `parquet:"unit,dict" doc:"unit of interval: day or hour"`
	Told     bool     `parquet:"last_modified" doc:"whether visits knew when the version appeared [SAT footnote 2]"`
	Interval int64    `parquet:"interval" unit:"as column unit" doc:"estimated access interval, rounded"`
	Pages    int64    `parquet:"pages" doc:"pages with this interval"`
	Share    *float64 `parquet:"share" unit:"share of the pages" doc:"with this interval or a shorter one"`
	Weighted *float64 `parquet:"weighted" unit:"share of the visits" doc:"that such pages fall due for"`
}

// Intervals shows how often pages would be visited [SAT fig. 2].
var Intervals = NewKind[Interval]("intervals", "one access interval, and how many pages have it, of `survey`")

// WriteSurvey writes the tables of a survey.
func WriteSurvey(s *Tables, found *papers.Survey) error {
	var (
		periods   []Period
		updates   []Updates
		intervals []Interval
	)
	for _, g := range append(found.Groups[:len(found.Groups):len(found.Groups)], found.Total) {
		for _, p := range g.Periods {
			periods = append(periods, Period{g.Name, int64(p.Weeks), int64(found.Base),
				int64(g.Servers), int64(g.Absent), int64(p.Pages), int64(p.Vanished), int64(p.New),
				int64(p.Returned), int64(p.Updated), known(p.UpdatedShare), int64(p.Differ),
				known(p.DifferShare), int64(p.Tops), int64(p.TopsUpdated),
				known(p.TopsUpdatedShare), int64(p.ByTop.Servers), int64(p.ByTop.Pages),
				int64(p.ByTop.Updated), known(p.ByTop.OfUpdated), known(p.ByTop.OfPages),
				known(p.ByTop.OfServers)})
			for n, pages := range p.Updates {
				updates = append(updates, Updates{g.Name, int64(p.Weeks), int64(n), int64(pages)})
			}
		}
	}
	for _, of := range found.Intervals {
		for _, at := range of.Points {
			intervals = append(intervals, Interval{of.Unit, of.LastModified, int64(at.Interval),
				int64(at.Pages), known(at.Share), known(at.Weighted)})
		}
	}
	return errors.Join(write(s, Periods, periods), write(s, PageUpdates, updates),
		write(s, Intervals, intervals))
}
