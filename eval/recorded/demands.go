package recorded

import (
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// By selects the wanted interval of a page.
type By string

const (
	// Planned is the interval from its last visit to its due time, as planned by the policy.
	Planned By = "planned"
	// Change is the estimated time between two changes.
	Change By = "change"
)

// demands collects the demands on each server, in the order of their discovery.
type demands struct {
	least schedule.Tick
	at    map[string]int
	all   []schedule.Demand
}

func newDemands(least schedule.Tick) *demands {
	return &demands{least: least, at: map[string]int{}}
}

func (d *demands) of(server string) *schedule.Demand {
	i, ok := d.at[server]
	if !ok {
		i = len(d.all)
		d.at[server] = i
		d.all = append(d.all, schedule.Demand{Name: server, Least: d.least})
	}
	return &d.all[i]
}

// interval returns the wanted interval of a page, or 0. Planned ones count unchanged; estimates
// limit the worth of visits.
func interval(by By, tried, due time.Time, change time.Duration) schedule.Pages {
	p := schedule.Pages{Change: schedule.Tick(change.Milliseconds())}
	if by == Change {
		p.Interval = p.Change
	} else if due.After(tried) {
		p.Interval = schedule.Tick(due.Sub(tried).Milliseconds())
	}
	return p
}

// DemandsInStore reads the demands on each server from the store of run: pages with a copy, and
// observed times of downloads. Damaged parts are left out and reported as doubts.
func DemandsInStore(data string, least schedule.Tick, by By, tell directory.Func) (
	all []schedule.Demand, doubts []string, err error) {
	store, err := satstore.Open(data, satstore.Options{ReadOnly: true, Progress: tell})
	if err != nil {
		return nil, nil, err
	}
	defer store.Close() // nothing was written
	graph, d := sitegraph.NewGraph(), newDemands(least)
	err = store.Restore(graph, func(r *sitegraph.Record) {
		if r.State == sitegraph.StateAlive {
			of := d.of(graph.ServerName(graph.Server(r.Page)))
			of.Pages = append(of.Pages, interval(by, r.Tried, r.Due, changeOf(&r.History)))
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range d.all {
		if d.all[i].Times, err = crawl.RecallTimes(store.Setting, d.all[i].Name); err != nil {
			return nil, nil, err
		}
	}
	return d.all, doubtsOf(store), nil
}

// DemandsInJournal reads the demands from the visits of a journal, with the addresses of the
// servers. The last visit of a page counts, and its past there gives the estimate of changes.
// Unreadable lines are reported as doubts. The error is journal.ErrNone without a journal.
func DemandsInJournal(dir string, least schedule.Tick, by By, tell directory.Func) (
	all []schedule.Demand, doubts []string, err error) {
	type page struct {
		seen    sitegraph.History
		tried   time.Time
		due     time.Time
		present bool
	}
	d, pages := newDemands(least), map[string]map[string]*page{}
	torn, err := journal.Read(dir, tell, func(e *journal.Entry) {
		server := serverOf(e.URL)
		if server == "" {
			return
		}
		of := d.of(server)
		if e.Address != "" {
			of.Address = hostOf(e.Address)
		}
		if e.ElapsedMillis > 0 { // a failure also takes a connection
			of.Times.Observe(schedule.Tick(e.ElapsedMillis))
		}
		if pages[server] == nil {
			pages[server] = map[string]*page{}
		}
		p := pages[server][e.URL]
		if p == nil {
			p = &page{}
			pages[server][e.URL] = p
		}
		p.tried, p.due = e.Time, e.Next
		switch e.Verdict {
		case sitegraph.VerdictFirst.String():
			p.seen, p.present = sitegraph.Start(e.Time), true
		case sitegraph.VerdictChanged.String(), sitegraph.VerdictUnchanged.String():
			if p.present = true; p.seen.Visits == 0 {
				p.seen = sitegraph.Start(e.Time)
			}
			p.seen.See(e.Time, e.Verdict == sitegraph.VerdictChanged.String(), e.Time)
		case sitegraph.VerdictBaseline.String():
			p.seen.Rebase(e.Time)
		case sitegraph.VerdictLeft.String():
			p.present = false
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range d.all {
		of := &d.all[i]
		var names []string
		for name, p := range pages[of.Name] {
			if p.present {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			p := pages[of.Name][name]
			of.Pages = append(of.Pages, interval(by, p.tried, p.due, changeOf(&p.seen)))
		}
	}
	return d.all, doubtsOfTorn(torn), nil
}

// changeOf estimates the time between two changes; 0 for a page that was seen only once. Half a
// change is added (Jeffreys), also if none was seen.
func changeOf(h *sitegraph.History) time.Duration {
	if h.Changes == 0 {
		return 2 * h.Elapsed()
	}
	return estimator.Seen(*h).Between()
}

// serverOf returns the server of a canonical URL: the part between "//" and the next "/".
func serverOf(address string) string {
	_, rest, _ := strings.Cut(address, "//")
	server, _, _ := strings.Cut(rest, "/")
	return server
}

// hostOf returns an address without its port.
func hostOf(address string) string {
	if i := strings.LastIndexByte(address, ':'); i > 0 && !strings.HasSuffix(address, "]") &&
		strings.Count(address, ":") == 1 {
		return address[:i]
	}
	return address
}
