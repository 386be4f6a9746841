package policy

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// startTops queues the tops that are checked without further evidence.
func (b *bySite) startTops() {
	b.fillTops(&b.tops, b.gated && !b.resting && !(b.rest && b.Mode == planner.Stream))
}

// fillTops fills a queue with the tops of sites: of those with a start page, or of all.
func (b *bySite) fillTops(line *planner.FIFO, ofStarts bool) {
	line.Reset()
	b.eachSite(b.only, func(site *site) {
		if !ofStarts || b.Pages.Graph.Depth(site.Tops[0]) <= 1 {
			line.Push(site.Tops...)
		}
	})
	if b.Mode == planner.Sweep {
		b.byDepth(line.Waiting())
	} else {
		b.byAge(line.Waiting()) // so a new policy continues where an old one stopped
	}
}

// reach queues the tops to which a page of the site links [LINK 4.3].
func (b *bySite) reach(site *site) {
	var below []sitegraph.PageID
	for _, pages := range [][]sitegraph.PageID{site.Tops, site.Members} {
		for _, p := range pages {
			for _, q := range b.Pages.Graph.Links(p) {
				q = b.Pages.Graph.Through(q, b.hasCopy)
				lower := b.siteWithTop(q)
				if lower == nil || lower == site {
					continue
				}
				if b.reached[q] || b.Mode == planner.Stream && !b.waiting(q, site) {
					continue
				}
				b.reached[q] = true
				below = append(below, q)
			}
		}
	}
	b.byDepth(below)
	if b.Mode == planner.Sweep || b.rest {
		b.lower.Push(below...)
	} else {
		b.tops.Push(below...)
	}
}

func (b *bySite) whyTop(p sitegraph.PageID) planner.Reason {
	if site := b.siteWithTop(p); b.sentinels && len(site.Members) > 0 {
		return planner.Because(
			"sentinel of its site: if it changed, so did a share of %.2f of the %.0f other pages",
			site.trust,
			float64(len(site.Members)),
		)
	}
	return planner.Because("top of its site, depth %.0f", float64(b.Pages.Graph.Depth(p)))
}

func (b *bySite) nextTop() (sitegraph.PageID, bool) {
	for restarts := 0; restarts < 2 && b.topsLeft > 0; restarts++ {
		if p, ok := b.popTop(&b.lower); ok {
			b.topsLeft--
			return p, true
		}
		if p, ok := b.popTop(&b.tops); ok {
			b.topsLeft--
			return p, true
		}
		if b.Mode == planner.Sweep {
			return sitegraph.NoPage, false
		}
		b.startTops()
	}
	b.topsLeft = 0
	return sitegraph.NoPage, false
}

// popTop returns the first page of a queue that is still a top to be visited.
func (b *bySite) popTop(line *planner.FIFO) (sitegraph.PageID, bool) {
	for p, ok := line.Pop(); ok; p, ok = line.Pop() {
		if b.Mode == planner.Stream {
			delete(b.reached, p)
		}
		if b.siteWithTop(p) != nil && b.Pages.Refetchable(p) {
			return p, true
		}
	}
	return sitegraph.NoPage, false
}
