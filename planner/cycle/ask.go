package cycle

import "github.com/recrawl/recrawl/sitegraph"

// Knows reports whether pages of a server (host[:port]) are known. Call it in Between.
func (l *Loop) Knows(server string) bool {
	_, ok := l.graph.LookupServer(server)
	return ok
}

// Ask lets pages with these canonical addresses be visited before all others, as soon as politeness
// and budget allow, and returns how many that are. Addresses that are not known become known. Those
// of unknown servers are left out, unless adopt makes them start pages. Call it in Between; what
// became known is durable when it returns.
func (l *Loop) Ask(adopt bool, addresses ...string) (asked int, err error) {
	for _, address := range addresses {
		page, ok, err := l.takeIn(address, adopt)
		if err != nil {
			return asked, err
		}
		if ok && l.Planner.Ask(page) {
			asked++
		}
	}
	if err := l.Store.Commit(); err != nil {
		return asked, l.storeError(err, "commit what was asked for")
	}
	return asked, nil
}

// takeIn finds the page of an address, or makes it known.
func (l *Loop) takeIn(address string, adopt bool) (page sitegraph.PageID, ok bool, err error) {
	if page, ok = l.graph.Lookup(address); ok {
		return page, true, l.foundAgain(page, nil)
	}
	server, known := l.graph.LookupServer(sitegraph.ServerName(address))
	switch {
	case !known && !adopt:
		return 0, false, nil
	case !known:
		if err := l.addStart(address, "", 0); err != nil {
			return 0, false, err
		}
		page, _ = l.graph.Lookup(address)
		return page, true, nil
	case l.Bounds != nil && l.Bounds.MaxPages > 0 && len(l.graph.ServerPages(server)) >= l.Bounds.MaxPages:
		return 0, false, nil
	}
	page = l.graph.Add(address)
	return page, true, l.register(page, "", 0, l.Clock.Now())
}
