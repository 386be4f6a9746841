package eval

import (
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/replay"
	"github.com/recrawl/recrawl/sitegraph"
)

// truth is what happened to the pages of a corpus from the base on, by day ends: the
// denominators of the stream protocol. Pages alive at the base and not base pages are left
// out for good. It is shared by all runs and never changes.
type truth struct {
	days     int
	pages    []pageTruth
	byURL    map[string]int32
	byDay    [][]transition // [1..days]: what is new at the end of each day
	events   int
	eventsOn []int // by day, from 1
	deaths   int   // a page alive at a day's end and not at the next

	discoverable int
	servers      int
	eventsOf     []int // by server
}

// pageTruth is one page.
type pageTruth struct {
	server       int32 // in World.Servers
	base         bool
	discoverable bool
	born         int32   // first day end at which it is alive, for pages born after the base
	start        content // at the base
}

// content is what an address holds.
type content struct {
	alive   bool
	digests sitegraph.Digests
}

func contentOf(v *history.Version) content {
	if !v.Alive() {
		return content{}
	}
	return content{true, v.Digests}
}

// differs reports whether a visit that holds a copy of c would see a change in now.
func (c content) differs(now content, by sitegraph.ChangeBy) bool {
	return c.alive != now.alive || c.alive && c.digests.Differ(now.digests, by)
}

// transition is a page's new content at the end of a day.
type transition struct {
	page int32
	now  content
}

// newTruth follows every page day by day. A server counts while its window lasts.
func (c *Corpus) newTruth(days int) *truth {
	t := &truth{
		days:     days,
		byURL:    map[string]int32{},
		byDay:    make([][]transition, days+1),
		eventsOn: make([]int, days+1),
		servers:  len(c.World.Servers),
		eventsOf: make([]int, len(c.World.Servers)),
	}
	for s, server := range c.World.Servers {
		for _, page := range server.Pages {
			t.addPage(c, int32(s), server, page)
		}
	}
	for s, server := range c.World.Servers {
		t.findDiscoverable(c, int32(s), server)
	}
	return t
}

func (t *truth) addPage(c *Corpus, s int32, server *history.Server, page *history.Page) {
	shift := server.T0 - replay.Epoch.Unix()
	base := c.Base.Unix() + shift
	p := pageTruth{server: s}
	if id, ok := c.graph.Lookup(page.URL); ok && int(id) < len(c.isBase) {
		p.base = c.isBase[id]
	}
	if v := page.At(base); v.Alive() {
		if !p.base {
			return
		}
		p.start = contentOf(v)
	}
	id := int32(len(t.pages))
	last := p.start
	lastDay := c.lastDay(t.days)
	for i := range page.Versions {
		v := &page.Versions[i]
		d := dayEnd(v.T - base)
		if d < 1 || d > lastDay || i+1 < len(page.Versions) && dayEnd(page.Versions[i+1].T-base) == d {
			continue // before the base, after the window, or replaced before the day's end
		}
		next := contentOf(v)
		if !last.differs(next, c.Change) {
			continue
		}
		t.note(&p, id, d, last, next)
		last = next
	}
	if p.base || p.born > 0 {
		t.byURL[page.URL] = id
		t.pages = append(t.pages, p)
	}
}

// note books one transition at the end of day d.
func (t *truth) note(p *pageTruth, id int32, d int, from, to content) {
	t.byDay[d] = append(t.byDay[d], transition{id, to})
	switch {
	case !to.alive:
		t.deaths++
	case from.alive:
		t.events++
		t.eventsOn[d]++
		t.eventsOf[p.server]++
	case !p.base && p.born == 0:
		p.born = int32(d)
	}
}

// dayEnd is the first day end (1, 2, ...) at which something that happened so many seconds
// after the base is there; 0 or less: at the base already.
func dayEnd(seconds int64) int {
	const perDay = int64(day / time.Second)
	if seconds <= 0 {
		return 0
	}
	return int((seconds + perDay - 1) / perDay)
}

// lastDay is the last day of the stream within the window of 60 weeks.
func (c *Corpus) lastDay(days int) int {
	return min(days, int(windowEnd.Sub(c.Base)/day))
}

// findDiscoverable marks the new pages that are linked, at some day's end, from a page of
// the server that is itself a base page or discoverable.
func (t *truth) findDiscoverable(c *Corpus, s int32, server *history.Server) {
	base := c.Base.Unix() + server.T0 - replay.Epoch.Unix()
	lastDay := c.lastDay(t.days)
	var queue []*history.Page
	for _, page := range server.Pages {
		if id, ok := t.byURL[page.URL]; ok && t.pages[id].base {
			queue = append(queue, page)
		}
	}
	for len(queue) > 0 {
		page := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for i := range page.Versions {
			v := &page.Versions[i]
			d := max(dayEnd(v.T-base), 0)
			if d > lastDay || i+1 < len(page.Versions) && max(dayEnd(page.Versions[i+1].T-base), 0) <= d {
				continue
			}
			for _, url := range v.Links {
				id, ok := t.byURL[url]
				if !ok || t.pages[id].base || t.pages[id].discoverable || t.pages[id].server != s {
					continue
				}
				t.pages[id].discoverable = true
				t.discoverable++
				queue = append(queue, server.Page(url))
			}
		}
	}
}
