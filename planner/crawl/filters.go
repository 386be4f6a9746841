package crawl

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// filtersSetting is the name under which the store keeps which filters there were, and since when.
const filtersSetting = "filters"

// recallFilters finds out since when the filters of the fetcher are those of the options. Where
// they are others than before, each page is judged by them: those with a copy at their next visit,
// which is made without condition, since a "not modified" shows nothing to judge; those that were
// rejected are queued again.
func (l *Loop) recallFilters() error {
	value, ok, err := l.Store.Setting(filtersSetting)
	if err != nil {
		return l.storeError(err, "read which filters there were")
	}
	var before uint64
	var since int64
	if ok {
		if _, err := fmt.Sscanf(string(value), "%x %d", &before, &since); err != nil {
			before = ^l.Filters // what cannot be read is not known
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
		return err // the image says which pages were rejected
	}
	value = fmt.Appendf(nil, "%x %d", l.Filters, l.filtersSince.Unix())
	if err := l.Store.SaveSetting(filtersSetting, value); err != nil {
		return l.storeError(err, "save which filters there are")
	}
	return nil
}

// unjudged drops the condition of a page that the filters have not judged.
func (l *Loop) unjudged(r *sitegraph.Record) {
	if l.Filters != 0 && r.State == sitegraph.StateAlive &&
		!r.History.LastVisit().After(l.filtersSince) {
		r.ETag, r.LastModified = "", time.Time{}
	}
}
