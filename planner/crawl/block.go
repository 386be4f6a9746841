package crawl

import (
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// block keeps the pages of a server under one scheme, for example https, from being asked for:
// their robots.txt cannot be read. Often one port of a server is closed or has no valid
// certificate, and its pages under the other scheme link to it. Or it keeps those of one directory,
// where pages have vanished.
type block struct {
	scheme string // "": of a directory
	dir    string
	until  time.Time
	pages  []sitegraph.PageID // handed back to the planner in this round
}

func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, "://")
	return scheme
}

// covers reports whether a block is for a page.
func (b *block) covers(url string) bool {
	if b.dir != "" {
		return b.dir == dirOf(url)
	}
	return b.scheme == schemeOf(url)
}

// hasOther reports whether the server of a queue has pages under another scheme than a page, which
// are not blocked.
func (p *pool) hasOther(q *serverQueue, page sitegraph.PageID) bool {
	scheme := schemeOf(p.graph.URL(page))
	pages := p.Planner.Pages
	for _, known := range p.graph.ServerPages(q.server) {
		if int(known) >= pages.Count() {
			continue
		}
		if s := pages.Memory(known).State; s != sitegraph.StateNew && s != sitegraph.StateAlive {
			continue
		}
		other := schemeOf(p.graph.URL(known))
		if other != scheme && !slices.ContainsFunc(q.blocks, func(b block) bool {
			return b.scheme == other
		}) {
			return true
		}
	}
	return false
}

// blockOf returns what keeps a page of a server from being asked for; nil: nothing.
func (q *serverQueue) blockOf(url string, now time.Time) *block {
	for i := range q.blocks {
		if b := &q.blocks[i]; b.until.After(now) && b.covers(url) {
			return b
		}
	}
	return nil
}

// blockScheme hands a visit back that met a robots.txt which cannot be read, and those of its queue
// under the same scheme. The others go on: no request was sent.
func (p *pool) blockScheme(q *serverQueue, done *completion, until, now time.Time) {
	page := done.visit.Page
	b := block{scheme: schemeOf(p.graph.URL(page)), until: until, pages: []sitegraph.PageID{page}}
	p.postpone(&done.visit, &done.request, done.seen)
	p.Planner.Return(done.visit)
	p.addBlock(q, b, now)
}

// addBlock replaces an older block of the same pages, and hands the visits back that it is for.
func (p *pool) addBlock(q *serverQueue, b block, now time.Time) {
	kept := q.visits[:0]
	for _, v := range q.visits {
		if !b.covers(p.graph.URL(v.Page)) {
			kept = append(kept, v)
			continue
		}
		b.pages = append(b.pages, v.Page)
		p.Planner.Return(v)
		p.noteTaken(q, &v)
	}
	q.visits = kept
	q.blocks = slices.DeleteFunc(q.blocks, func(old block) bool {
		return old.scheme == b.scheme && old.dir == b.dir
	})
	q.blocks = append(q.blocks, b)
	p.blocked[q.server] = q
	p.openOrClose(q, now)
}

// awaitsUnblock reports whether blocked pages may be asked for in the rest of the round.
func (p *pool) awaitsUnblock() bool {
	if p.Planner.Left() == 0 {
		return false
	}
	for _, q := range p.blocked {
		for _, b := range q.blocks {
			if len(b.pages) > 0 && b.until.Before(p.round.End) {
				return true
			}
		}
	}
	return false
}

// endBlocks ends what is over, once a second. The new pages that were handed back wait for a first
// visit again, the others in the next round.
func (p *pool) endBlocks(now time.Time) {
	for s, q := range p.blocked {
		q.blocks = slices.DeleteFunc(q.blocks, func(b block) bool {
			if b.until.After(now) {
				return false
			}
			p.Planner.PutBack(b.pages)
			return true
		})
		if len(q.blocks) == 0 {
			delete(p.blocked, s)
		}
	}
}
