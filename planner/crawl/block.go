package crawl

import (
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// block keeps a part of a server from being asked. One kind covers the pages under one scheme, such
// as https, whose robots.txt cannot be read: often one port is closed or has no valid certificate,
// and pages under the other scheme link to it. The other kind covers a directory whose pages have
// vanished.
type block struct {
	scheme string // "": the block is for a directory
	dir    string
	until  time.Time
	pages  []sitegraph.PageID // pages that went back to the planner in this round
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

// hasOther reports whether the server has pages under another scheme than this page, and that
// scheme is not blocked.
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

// blockOf returns the block that covers a page of a server; nil: none.
func (q *serverQueue) blockOf(url string, now time.Time) *block {
	for i := range q.blocks {
		if b := &q.blocks[i]; b.until.After(now) && b.covers(url) {
			return b
		}
	}
	return nil
}

// blockScheme returns a visit to the planner whose robots.txt cannot be read, and the queued visits
// under the same scheme. Visits under other schemes go on, since no request was sent.
func (p *pool) blockScheme(q *serverQueue, done *completion, until, now time.Time) {
	page := done.visit.Page
	b := block{scheme: schemeOf(p.graph.URL(page)), until: until, pages: []sitegraph.PageID{page}}
	p.postpone(&done.visit, &done.request, done.seen)
	p.Planner.Return(done.visit)
	p.addBlock(q, b, now)
}

// addBlock adds a block, which replaces an older one of the same pages, and returns the visits that
// it covers to the planner.
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

// awaitsUnblock reports whether a block ends within the round, so that its pages may be asked
// again.
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

// endBlocks ends the blocks that are over, once a second. New pages that were handed back wait for
// a first visit again, other pages in the next round.
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
