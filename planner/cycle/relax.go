package cycle

import (
	"strconv"

	"github.com/recrawl/recrawl/sitegraph"
)

func robotsSetting(server string) string { return "robots/" + server }

// relax puts the pages that robots.txt excluded back in line when its rules have changed: it may allow them now. If it
// does not, the visit costs no request.
func (l *Loop) relax(p sitegraph.PageID, rules uint64) error {
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
	if err := l.Store.SaveSetting(robotsSetting(server), strconv.AppendUint(nil, rules, 16)); err != nil {
		return l.storeError(err, "save the rules of %s", server)
	}
	if known == 0 {
		return nil
	}
	for _, page := range l.graph.ServerPages(s) {
		if page == p || !l.Planner.Corpus.Forbidden(page) {
			continue
		}
		if err := l.foundAgain(page, nil); err != nil {
			return err
		}
	}
	return nil
}

// knownRules is the fingerprint of a server's rules as of the last visit; 0: not known.
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
		known, _ = strconv.ParseUint(string(value), 16, 64) // what cannot be read is not known
	}
	l.rules[s] = known
	return known, nil
}
