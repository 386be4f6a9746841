package crawl

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// NotAsked is the prefix of a record's reason if the user's settings refused the last visit.
const NotAsked = "not asked: "

// deny takes back a visit that the user's settings refuse. It uses no budget and leaves the state
// of the page as it is. The record gets the reason.
func (l *Loop) deny(v planner.Visit, r *Request, o *sitegraph.Observation) error {
	l.postpone(&v, r, *o)
	isNew, first := l.Planner.SetAside(v, o.Denied)
	if !isNew {
		return nil
	}
	if err := l.awaitVerified(); err != nil {
		return err
	}
	r.Record.Reason = NotAsked + o.Denied.String()
	if err := l.Store.Save(&r.Record); err != nil {
		return l.storeError(err, "save record of %s", r.Record.URL)
	}
	if err := l.Planner.Pages.SaveDenied(l.Store.SaveSetting); err != nil {
		return l.storeError(err, "save the refused pages")
	}
	if first && l.Denied != nil {
		l.Denied(o.Denied)
	}
	return l.commitInTime()
}

// recallDenied starts the list of pages that settings refuse. In stores of older programs, which
// recorded a refusal in the page's state, such pages wait for a first visit again. Their records
// are read once.
func (l *Loop) recallDenied() error {
	pages := l.Planner.Pages
	known, err := pages.LoadDenied(l.Store.Setting)
	if err != nil {
		return l.storeError(err, "begin")
	}
	if known && len(pages.Denied()) == 0 {
		return nil
	}
	pages.ForgetDenied()
	if !known {
		if err := l.undeny(); err != nil {
			return err
		}
	}
	if err := pages.SaveDenied(l.Store.SaveSetting); err != nil {
		return l.storeError(err, "save the refused pages")
	}
	return nil
}

// undeny queues the pages again that left, or are in doubt, without a request to a server.
func (l *Loop) undeny() error {
	return l.retry(l.Planner.Pages.PerhapsDenied, func(r *sitegraph.Record) bool {
		return r.Status == 0 && (r.State == sitegraph.StateExcluded ||
			r.Missed == sitegraph.OutcomeExcluded)
	})
}

const agentSetting = "robots-agent"

// recallAgent queues the pages again that robots.txt excluded under another name than
// Options.Agent.
func (l *Loop) recallAgent() error {
	before, ok, err := l.Store.Setting(agentSetting)
	if err != nil {
		return l.storeError(err, "read the name for robots.txt")
	}
	if l.Agent == "" || string(before) == l.Agent {
		return nil
	}
	if ok {
		if err := l.retry(l.Planner.Pages.Forbidden, func(r *sitegraph.Record) bool {
			return r.ByRobots
		}); err != nil {
			return err
		}
	}
	if err := l.Store.SaveSetting(agentSetting, []byte(l.Agent)); err != nil {
		return l.storeError(err, "save the name for robots.txt")
	}
	return nil
}

// retry queues pages again, and forgets the visits that excluded them. It loads the records of the
// pages that may selects, and takes those that is selects.
func (l *Loop) retry(may func(sitegraph.PageID) bool, is func(*sitegraph.Record) bool) error {
	var r sitegraph.Record
	for page := range sitegraph.PageID(l.graph.Pages()) {
		if !may(page) {
			continue
		}
		if err := l.Store.Load(page, &r); err != nil {
			return l.storeError(err, "load record of %s", l.graph.URL(page))
		}
		if !is(&r) {
			continue
		}
		left := r.State == sitegraph.StateExcluded
		if left {
			r.State = sitegraph.StateNew
		}
		r.Misses, r.Missed, r.ByRobots, r.Reason = 0, sitegraph.OutcomeUnknown, false, ""
		r.Tried, r.Due = r.History.LastVisit(), l.Clock.Now()
		if err := l.awaitVerified(); err != nil {
			return err
		}
		l.Planner.Pages.Remember(&r)
		if err := l.Store.Save(&r); err != nil {
			return l.storeError(err, "save record of %s", r.URL)
		}
		if left {
			l.found(page)
		}
	}
	return nil
}
