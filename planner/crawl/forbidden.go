package crawl

import (
	"strconv"

	"github.com/recrawl/recrawl/sitegraph"
)

func robotsSetting(server string) string { return "robots/" + server }

// revisitForbidden queues the pages that robots.txt excluded once its rules have changed, since
// these may allow them. If they do not, the visit costs no request.
func (l *Loop) revisitForbidden(p sitegraph.PageID, rules uint64) error {
	if rules == 0 {
		return nil
	}
	s := l.graph.Server(p)
	known, err := l.knownRules(s)
	if err != nil || known == rules {
		return err
	}
	l.rules[s] = rules
	server := l.graph.ServerName(s)
	if err := l.Store.SaveSetting(robotsSetting(server),
		strconv.AppendUint(nil, rules, 16)); err != nil {
		return l.storeError(err, "save the rules of %s", server)
	}
	if known == 0 {
		return nil
	}
	for _, page := range l.graph.ServerPages(s) {
		if page == p || !l.Planner.Pages.Forbidden(page) || l.stillForbidden(page) {
			continue
		}
		if l.Planner.Pages.Memory(page).State == sitegraph.StateAlive {
			if err := l.clearDoubt(page); err != nil {
				return err
			}
			continue
		}
		if err := l.foundAgain(page, nil); err != nil {
			return err
		}
	}
	return nil
}

// stillForbidden reports whether the fetcher's present rules forbid a page.
func (l *Loop) stillForbidden(page sitegraph.PageID) bool {
	permits, ok := l.Fetcher.(Permitter)
	if !ok {
		return false
	}
	permitted, known := permits.Permits(l.graph.URL(page))
	return known && !permitted
}

// clearDoubt lets a page with a copy be asked for again at once.
func (l *Loop) clearDoubt(page sitegraph.PageID) error {
	var r sitegraph.Record
	if err := l.Store.Load(page, &r); err != nil {
		return l.storeError(err, "load record of %s", l.graph.URL(page))
	}
	r.Misses, r.ByRobots, r.Due = 0, false, l.Clock.Now()
	l.Planner.Pages.Remember(&r)
	if err := l.Store.Save(&r); err != nil {
		return l.storeError(err, "save record of %s", r.URL)
	}
	return nil
}

// knownRules returns the fingerprint of a server's rules at the last visit; 0: unknown.
func (l *Loop) knownRules(s sitegraph.ServerID) (uint64, error) {
	if known, ok := l.rules[s]; ok {
		return known, nil
	}
	server := l.graph.ServerName(s)
	value, ok, err := l.Store.Setting(robotsSetting(server))
	if err != nil {
		return 0, l.storeError(err, "read the rules of %s", server)
	}
	known := uint64(0)
	if ok {
		known, _ = strconv.ParseUint(string(value), 16, 64) // unreadable means unknown
	}
	l.rules[s] = known
	return known, nil
}
