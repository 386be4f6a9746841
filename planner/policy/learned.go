package policy

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// candidates are the divisions among which auto chooses.
var candidates = []string{"a", "b-closure", "community", "prefix", "server", "shape"}

// withoutPast is the division of auto if no page has changed yet, or all candidates predict alike.
const withoutPast = "prefix"

// choose returns the partition whose tops predict best which other pages of the server changed in
// the past weeks: the candidate with the shortest description of them.
func (p *past) choose() string {
	best := withoutPast
	if p.quiet {
		return best
	}
	shortest := math.Inf(1)
	for _, name := range candidates {
		if l := p.length(p.divide(name)); l < shortest {
			best, shortest = name, l
		}
	}
	return best
}

// past has the visits and changes of one server's pages in the last 32 weeks.
type past struct {
	pages  *planner.Pages
	server sitegraph.ServerID
	counts func(sitegraph.PageID) bool
	week   uint32  // week of the last visit
	mean   float64 // share of visits that saw a change, in (0, 1)
	quiet  bool    // there was no change
}

func newPast(c *planner.Pages, s sitegraph.ServerID, counts func(sitegraph.PageID) bool) *past {
	past := &past{pages: c, server: s, counts: counts}
	pages := c.Graph.ServerPages(s)
	for _, p := range pages {
		past.week = max(past.week, sitegraph.Week(c.Memory(p).History.Last))
	}
	looks, changes := 0, 0
	for _, p := range pages {
		if counts(p) {
			w := past.of(p)
			looks += bits.OnesCount32(w.seen)
			changes += bits.OnesCount32(w.changed)
		}
	}
	past.mean = (float64(changes) + 0.5) / (float64(looks) + 1)
	past.quiet = changes == 0
	return past
}

// divide divides the server. Sites come in the order of their tops' addresses, so that nothing
// depends on the order of discovery if a page is in several.
func (p *past) divide(by string) sitegraph.Partition {
	partition := divideBy(by, p.pages, p.server, p.counts)
	g := p.pages.Graph
	first := func(site sitegraph.Site) string {
		address := g.URL(site.Tops[0])
		for _, top := range site.Tops[1:] {
			address = min(address, g.URL(top))
		}
		return address
	}
	type addressed struct {
		sitegraph.Site
		address string
	}
	sites := make([]addressed, len(partition.Sites))
	for i, site := range partition.Sites {
		sites[i] = addressed{site, first(site)}
	}
	slices.SortFunc(sites, func(a, b addressed) int {
		return strings.Compare(a.address, b.address)
	})
	for i := range sites {
		partition.Sites[i] = sites[i].Site
	}
	return partition
}

// weeks are those in which a page was visited, and those in which it had changed. Of several pages
// as one signal, a week changed if any of them had.
type weeks struct{ seen, changed uint32 }

// or joins signals: a week counts if all were visited.
func (w weeks) or(v weeks) weeks {
	return weeks{w.seen & v.seen, (w.changed | v.changed) & w.seen & v.seen}
}

func (p *past) of(page sitegraph.PageID) weeks {
	seen, changed := p.pages.Memory(page).History.WeeksBefore(p.week)
	return weeks{seen, changed}
}

// length returns the length of the past's description by a division, in nats: its tops, their
// changes, and those of the members given the tops. A page in several sites counts in the first;
// nothing predicts orphans.
func (p *past) length(division sitegraph.Partition) float64 {
	sum := 0.0
	counted := newCounted(p)
	alone := func(pages []sitegraph.PageID, each func(seen uint32) float64) {
		for _, page := range pages {
			if counted.first(page) {
				w := p.of(page)
				sum += each(w.seen) - estimator.LogLikelihoodAlone(w.seen, w.changed, p.mean)
			}
		}
	}
	for _, site := range division.Sites {
		alone(site.Tops, estimator.TopLength)
	}
	alone(division.Orphans, func(uint32) float64 { return 0 })
	for i := range division.Sites {
		signal := p.signal(&division.Sites[i], counted.first)
		sum -= signal.LogLikelihood(p.mean)
	}
	return sum
}

// signal returns the signal of a site's tops about the members that take selects.
func (p *past) signal(site *sitegraph.Site, take func(sitegraph.PageID) bool) (
	signal estimator.Signal) {
	tops := p.of(site.Tops[0])
	for _, top := range site.Tops[1:] {
		tops = tops.or(p.of(top))
	}
	for _, page := range site.Members {
		if take(page) {
			w := p.of(page)
			signal.Add(w.seen, w.changed, tops.seen, tops.changed)
		}
	}
	return signal
}

// trust returns the share of a site's members that is expected to have changed when a top has.
func (p *past) trust(site *sitegraph.Site) float64 {
	signal := p.signal(site, func(sitegraph.PageID) bool { return true })
	return signal.Trust(p.mean)
}

// counted marks pages of one server.
type counted struct {
	pages []sitegraph.PageID // of the server, ascending
	done  []bool             // by place in pages
}

func newCounted(p *past) *counted {
	pages := p.pages.Graph.ServerPages(p.server)
	return &counted{pages, make([]bool, len(pages))}
}

// first reports whether a page is met for the first time.
func (c *counted) first(page sitegraph.PageID) bool {
	i, _ := slices.BinarySearch(c.pages, page)
	before := c.done[i]
	c.done[i] = true
	return !before
}
