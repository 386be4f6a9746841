package crawl

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// filtersSetting names the setting with the current filters and the time since when they hold.
const filtersSetting = "filters"

// recallFilters finds since when the fetcher has its present filters. If they changed, every page
// is judged again. Pages with a copy are judged at their next visit, without a condition, since a
// "not modified" has no content to judge. Rejected pages are queued again.
func (l *Loop) recallFilters() error {
	value, ok, err := l.Store.Setting(filtersSetting)
	if err != nil {
		return l.storeError(err, "read the filters of the last run")
	}
	var before uint64
	var since int64
	if ok {
		if _, err := fmt.Sscanf(string(value), "%x %d", &before, &since); err != nil {
			before = ^l.Filters // unreadable means unknown
		}
	}
	l.filtersSince = time.Unix(since, 0)
	if before == l.Filters {
		return nil
	}
	l.filtersSince = l.Clock.Now()
	for page := range sitegraph.PageID(l.graph.Pages()) {
		if l.Planner.Pages.Rejected(page) {
			if err := l.foundAgain(page, nil); err != nil {
				return err
			}
		}
	}
	if err := l.awaitVerified(); err != nil {
		return err // the image knows which pages were rejected
	}
	value = fmt.Appendf(nil, "%x %d", l.Filters, l.filtersSince.Unix())
	if err := l.Store.SaveSetting(filtersSetting, value); err != nil {
		return l.storeError(err, "save the filters")
	}
	return nil
}

// unjudged makes the request unconditional for a page that the filters have not judged.
func (l *Loop) unjudged(r *sitegraph.Record) {
	if l.Filters != 0 && r.State == sitegraph.StateAlive &&
		!r.History.LastVisit().After(l.filtersSince) {
		r.ETag, r.LastModified = "", time.Time{}
	}
}
