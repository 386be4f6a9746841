package eval

import (
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// truth holds the changes of the pages of a corpus from the base on, by the ends of steps, which
// are days or parts of a day: the denominators of the stream protocol. Pages that are alive at the
// base and no base pages never count. All runs share it, and it never changes.
type truth struct {
	step     time.Duration // must divide a day
	steps    int
	pages    []pageTruth
	byURL    map[string]int32
	byStep   [][]transition // [1..steps]: new contents at the end of each step
	events   int
	eventsOn []int // by step, from 1
	deaths   int   // of pages alive at a step's end and not at the next

	discoverable int
	servers      int
	eventsOf     []int // by server
}

// pageTruth is the truth about one page.
type pageTruth struct {
	server       int32 // in World.Servers
	base         bool
	discoverable bool
	born         int32   // first step end at which a page born after the base is alive
	start        content // at the base
}

// content is the content at a URL.
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

// differs reports whether a visit to a page with a copy of c would find a change in now.
func (c content) differs(now content, by sitegraph.ChangeBy) bool {
	return c.alive != now.alive || c.alive && c.digests.Differ(now.digests, by)
}

// transition is a page's new content at the end of a step.
type transition struct {
	page int32
	at   int32 // seconds after the base: when the earlier content was first replaced in the step
	now  content
}

// newTruth follows every page day by day.
func (c *Dataset) newTruth(days int) *truth { return c.newTruthBy(days, day) }

// newTruthBy follows every page step by step. A server counts while its window lasts.
func (c *Dataset) newTruthBy(days int, step time.Duration) *truth {
	steps := days * int(day/step)
	t := &truth{
		step:     step,
		steps:    steps,
		byURL:    map[string]int32{},
		byStep:   make([][]transition, steps+1),
		eventsOn: make([]int, steps+1),
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

func (t *truth) addPage(c *Dataset, s int32, server *history.Server, page *history.Page) {
	shift := server.T0 - history.WorldEpoch.Unix()
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
	lastStep := c.lastStep(t)
	replaced, in := int64(0), 0 // when last was first replaced in a step
	for i := range page.Versions {
		v := &page.Versions[i]
		d := t.stepEnd(v.T - base)
		if d < 1 || d > lastStep {
			continue // before the base, or after the window
		}
		next := contentOf(v)
		differs := last.differs(next, c.Change)
		if differs && in != d {
			replaced, in = v.T-base, d
		}
		if !differs || i+1 < len(page.Versions) && t.stepEnd(page.Versions[i+1].T-base) == d {
			continue // the same, or replaced before the end of the step
		}
		t.note(&p, transition{id, int32(replaced), next}, d, last)
		last = next
	}
	if p.base || p.born > 0 {
		t.byURL[page.URL] = id
		t.pages = append(t.pages, p)
	}
}

// note adds a transition at the end of step d.
func (t *truth) note(p *pageTruth, to transition, d int, from content) {
	t.byStep[d] = append(t.byStep[d], to)
	switch {
	case !to.now.alive:
		t.deaths++
	case from.alive:
		t.events++
		t.eventsOn[d]++
		t.eventsOf[p.server]++
	case !p.base && p.born == 0:
		p.born = int32(d)
	}
}

// stepEnd returns the first end of a step (1, 2, ...) at or after a time in seconds after the base;
// 0 or less means at the base.
func (t *truth) stepEnd(seconds int64) int {
	length := int64(t.step / time.Second)
	if seconds <= 0 {
		return 0
	}
	return int((seconds + length - 1) / length)
}

// perDay returns the number of steps in a day.
func (t *truth) perDay() int { return int(day / t.step) }

// lastStep returns the last step of the stream within the window of 60 weeks.
func (c *Dataset) lastStep(t *truth) int {
	return min(t.steps, int(windowEnd.Sub(c.Base)/t.step))
}

// findDiscoverable marks the new pages with a link, at the end of a step, from a base page or
// discoverable page of the same server.
func (t *truth) findDiscoverable(c *Dataset, s int32, server *history.Server) {
	base := c.Base.Unix() + server.T0 - history.WorldEpoch.Unix()
	lastStep := c.lastStep(t)
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
			d := max(t.stepEnd(v.T-base), 0)
			if d > lastStep || i+1 < len(page.Versions) &&
				max(t.stepEnd(page.Versions[i+1].T-base), 0) <= d {
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
