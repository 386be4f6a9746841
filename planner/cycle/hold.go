package cycle

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// holdFrom is the shortest wait for a server that is kept over a restart: longer than the usual
// pause of 10 s, which whoever starts the program again waits out anyway. It keeps a
// Crawl-delay and a Retry-After.
const holdFrom = 15 * time.Second

func holdSetting(server string) string { return "hold/" + server }

// hold keeps the wait that a server asked for, if it is long.
func (l *Loop) hold(p sitegraph.PageID, of *line) error {
	if of.delay < holdFrom {
		return nil
	}
	server := l.graph.ServerName(l.graph.Server(p))
	if err := l.Store.SaveSetting(holdSetting(server), []byte(of.notBefore.UTC().Format(time.RFC3339Nano))); err != nil {
		return l.storeError(err, "save the wait for %s", server)
	}
	return nil
}

// heldUntil is until when a server is not to be asked, as an earlier run was told; zero if
// it asked for nothing long.
func (l *Loop) heldUntil(s sitegraph.ServerID) (time.Time, error) {
	server := l.graph.ServerName(s)
	value, ok, err := l.Store.Setting(holdSetting(server))
	if err != nil {
		return time.Time{}, l.storeError(err, "read the wait for %s", server)
	}
	if !ok {
		return time.Time{}, nil
	}
	until, err := time.Parse(time.RFC3339Nano, string(value))
	if err != nil {
		return time.Time{}, fmt.Errorf("the kept wait for %s: %w", server, err)
	}
	return until, nil
}
