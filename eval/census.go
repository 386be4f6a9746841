package eval

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/eval/history"
)

// ErrNoLinks means that no history tells which page links to which: pages cannot be told
// from pages that no link reaches.
var ErrNoLinks = errors.New("no history tells of links at the base")

// Doubts names the servers that tell less than the others at the base. It is ErrNoLinks if all that
// have pages tell too little.
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
				"the history of %s tells no links at week %d: only its start page counts, %d "+
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
	reached int // base pages
	alive   int
	linked  bool // one of those alive tells of links, be it that it has none
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

// AllVanished says that a period of so many weekly snapshots has nothing to compare; "" if it has.
func AllVanished(weeks, pages, vanished int) string {
	if pages > 0 || vanished == 0 {
		return ""
	}
	return fmt.Sprintf(
		"N = %d weeks: all %d pages have vanished by then, so there is nothing to compare",
		weeks, vanished)
}
