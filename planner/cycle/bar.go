package cycle

import (
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// bar keeps the pages of a server under one scheme, as https, from being asked for: their
// robots.txt cannot be had. It is often so that one port of a server is closed or has no valid
// certificate, and its pages under the other scheme link to it. Or it keeps those of one directory,
// where pages have vanished.
type bar struct {
	scheme string // "": of a directory
	dir    string
	until  time.Time
	pages  []sitegraph.PageID // handed back to the planner in this round
}

func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, "://")
	return scheme
}

// holds reports whether a bar is for a page.
func (b *bar) holds(url string) bool {
	if b.dir != "" {
		return b.dir == dirOf(url)
	}
	return b.scheme == schemeOf(url)
}

// hasOther reports whether a line's server has pages under another scheme than a page, which are
// not barred.
func (c *crew) hasOther(l *line, page sitegraph.PageID) bool {
	scheme := schemeOf(c.graph.URL(page))
	corpus := c.Planner.Corpus
	for _, p := range c.graph.ServerPages(l.server) {
		if int(p) >= corpus.Pages() {
			continue
		}
		if s := corpus.Memory(p).State; s != sitegraph.StateNew && s != sitegraph.StateAlive {
			continue
		}
		other := schemeOf(c.graph.URL(p))
		if other != scheme && !slices.ContainsFunc(l.barred, func(b bar) bool {
			return b.scheme == other
		}) {
			return true
		}
	}
	return false
}

// bars returns what keeps a page of a line from being asked for; nil: nothing.
func (l *line) bars(url string, now time.Time) *bar {
	for i := range l.barred {
		if b := &l.barred[i]; b.until.After(now) && b.holds(url) {
			return b
		}
	}
	return nil
}

// bar hands a visit back that met a robots.txt which cannot be had, and those of its line under the
// same scheme. The others go on: no request was sent.
func (c *crew) bar(l *line, done *completion, until, now time.Time) {
	page := done.visit.Page
	b := bar{scheme: schemeOf(c.graph.URL(page)), until: until, pages: []sitegraph.PageID{page}}
	c.postpone(&done.visit, &done.request, done.seen)
	c.Planner.Return(done.visit)
	c.putUp(l, b, now)
}

// putUp puts up a bar in place of an older one of the same pages, and hands the visits of the line
// back that it is for.
func (c *crew) putUp(l *line, b bar, now time.Time) {
	kept := l.visits[:0]
	for _, v := range l.visits {
		if !b.holds(c.graph.URL(v.Page)) {
			kept = append(kept, v)
			continue
		}
		b.pages = append(b.pages, v.Page)
		c.Planner.Return(v)
		c.taken(l, &v)
	}
	l.visits = kept
	l.barred = slices.DeleteFunc(l.barred, func(old bar) bool {
		return old.scheme == b.scheme && old.dir == b.dir
	})
	l.barred = append(l.barred, b)
	c.barring[l.server] = l
	c.admit(l, now)
}

// awaitsBar reports whether pages that are barred may be asked for in the rest of the round.
func (c *crew) awaitsBar() bool {
	if c.Planner.Left() == 0 {
		return false
	}
	for _, l := range c.barring {
		for _, b := range l.barred {
			if len(b.pages) > 0 && b.until.Before(c.round.End) {
				return true
			}
		}
	}
	return false
}

// unbar ends what is over, once a second. The new pages that were handed back are in line again,
// the others in the next round.
func (c *crew) unbar(now time.Time) {
	for s, l := range c.barring {
		l.barred = slices.DeleteFunc(l.barred, func(b bar) bool {
			if b.until.After(now) {
				return false
			}
			c.Planner.PutBack(b.pages)
			return true
		})
		if len(l.barred) == 0 {
			delete(c.barring, s)
		}
	}
}
