package crawl

import (
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Knows reports whether pages of a server (host[:port]) are known. Call it in Between.
func (l *Loop) Knows(server string) bool {
	_, ok := l.graph.LookupServer(server)
	return ok
}

// Ask puts pages with these canonical addresses before all other visits, as soon as politeness and
// budget allow, and returns their number. It makes unknown addresses known, and leaves out those of
// unknown servers unless adopt makes them start pages. After a feed or sitemap, the loop visits the
// pages that the source claims to be new or changed. Call it in Between; new pages are durable when
// it returns.
func (l *Loop) Ask(adopt bool, addresses ...string) (asked int, err error) {
	for _, address := range addresses {
		page, ok, err := l.learnAddress(address, adopt)
		if err != nil {
			return asked, err
		}
		if ok && l.ask(page) {
			asked++
		}
	}
	if err := l.flushDues(); err != nil {
		return asked, err
	}
	if err := l.Store.Commit(); err != nil {
		return asked, l.storeError(err, "commit what was asked for")
	}
	return asked, nil
}

// Learn makes unknown pages with these canonical addresses known, and returns their number. On
// unknown servers they become start pages if adopt reports true, and are left out otherwise. Known
// pages stay as they are. Call it in Between; new pages are durable when it returns.
func (l *Loop) Learn(adopt func(server string) bool, addresses ...string) (learnt int, err error) {
	for _, address := range addresses {
		if _, known := l.graph.Lookup(address); known {
			continue
		}
		server, known := l.graph.LookupServer(sitegraph.ServerName(address))
		if known {
			in := l.intake(server, len(addresses))
			var ok bool
			if address, ok = l.admitAddress(&in, address); !ok {
				continue
			}
			if _, known := l.graph.Lookup(address); known { // in its canonical form
				continue
			}
		}
		_, ok, err := l.learnAddress(address, !known && adopt(sitegraph.ServerName(address)))
		if err != nil {
			return learnt, err
		}
		if ok {
			learnt++
		}
	}
	if learnt == 0 {
		return 0, nil
	}
	if err := l.Store.Commit(); err != nil {
		return learnt, l.storeError(err, "commit what was learnt")
	}
	return learnt, nil
}

// ask puts a page before all others; false: too many wait. A page with a visit under way is visited
// once more, since this visit may have read older content.
func (l *Loop) ask(page sitegraph.PageID) bool {
	if l.Planner.Pages.Memory(page).State == sitegraph.StateSource {
		l.asked[page] = true
	}
	of := l.queues[l.graph.Server(page)]
	switch {
	case of != nil && of.up && of.page == page:
		l.askedAgain[page] = true
		if l.dues != nil {
			l.dues.leaveLate(page, planner.MessageAsked)
		}
	case of != nil && of.hasten(page):
		if l.dues != nil {
			l.dues.leave(page, planner.MessageAsked)
		}
	default:
		return l.Planner.Ask(page)
	}
	return true
}

// hasten moves the visit to a page to the head of a server's queue; false: it is not in the queue.
func (q *serverQueue) hasten(page sitegraph.PageID) bool {
	i := slices.IndexFunc(q.visits, func(v planner.Visit) bool { return v.Page == page })
	if i < 0 {
		return false
	}
	if v := q.visits[i]; !v.Asked {
		v.Asked, v.Reason = true, planner.Because("a user asked for it")
		q.visits = slices.Insert(slices.Delete(q.visits, i, i+1), q.asked, v)
		q.asked++
	}
	return true
}

// askAgain asks for a page once more if a user asked for it during the visit that has just ended.
func (l *Loop) askAgain(page sitegraph.PageID) {
	if l.askedAgain[page] {
		delete(l.askedAgain, page)
		l.Planner.Ask(page)
	}
}

// askClaimed asks for the pages that a feed or sitemap claims to be new or changed, if a user asked
// for the source.
func (l *Loop) askClaimed(source sitegraph.PageID, claimed []sitegraph.PageID) {
	if !l.asked[source] {
		return
	}
	delete(l.asked, source)
	for _, page := range claimed {
		l.ask(page)
	}
}

// learnAddress returns the page of an address, which it makes known if necessary.
func (l *Loop) learnAddress(address string, adopt bool) (
	page sitegraph.PageID, ok bool, err error) {
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
	case l.Bounds != nil && l.Bounds.MaxPages > 0 &&
		len(l.graph.ServerPages(server)) >= l.Bounds.MaxPages:
		return 0, false, nil
	}
	page = l.graph.Add(address)
	return page, true, l.register(page, "", 0, l.Clock.Now())
}
