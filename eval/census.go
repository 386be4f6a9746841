package eval

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/eval/history"
)

// ErrNoLinks means that no history has links at the base. Without links all pages seem unreachable.
var ErrNoLinks = errors.New("no history has links at the base")

// Doubts describes the servers with missing evidence at the base. Its error is ErrNoLinks if that
// holds for all servers with pages.
func (c *Dataset) Doubts() (doubts []string, err error) {
	base := int(c.Base.Sub(history.WorldEpoch) / week)
	linkless, absent := 0, 0
	for _, s := range c.World.Servers {
		switch n := c.census(s, base); {
		case n.reached == 0:
			absent++
			doubts = append(doubts, fmt.Sprintf(
				"%s has no page at week %d that is reached from its top page; it counts for nothing", s.Name, base))
		case n.reached < n.alive && !n.linked:
			linkless++
			doubts = append(doubts, fmt.Sprintf(
				"the history of %s has no links at week %d: only its start page counts, %d "+
					"other pages are left out",
				s.Name, base, n.alive-n.reached))
		}
	}
	if linkless == len(c.World.Servers)-absent {
		return nil, ErrNoLinks
	}
	return doubts, nil
}

// census counts the pages of a server at the base.
type census struct {
	reached int // reachable base pages
	alive   int
	linked  bool // a living page has a known number of links, perhaps none
}

func (c *Dataset) census(s *history.Server, base int) (n census) {
	for _, page := range s.Pages {
		if v := page.At(s.Week(base)); v.Alive() {
			n.alive++
			n.linked = n.linked || v.LinksKnown
		}
	}
	if id, ok := c.graph.LookupServer(s.Name); ok {
		for _, page := range c.graph.ServerPages(id) {
			if c.IsBase(page) {
				n.reached++
			}
		}
	}
	return n
}

// AllVanished returns a note if no page is left to compare after this many weekly snapshots, or "".
func AllVanished(weeks, pages, vanished int) string {
	if pages > 0 || vanished == 0 {
		return ""
	}
	return fmt.Sprintf(
		"N = %d weeks: all %d pages have vanished by then, so there is nothing to compare",
		weeks, vanished)
}
