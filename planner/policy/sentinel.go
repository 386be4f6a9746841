package policy

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// sentinelCandidates bounds the pages of a site that are measured as its sentinel: those that
// changed in most weeks, since a page cannot predict more than its own changes.
const sentinelCandidates = 64

// maxSentinels bounds the sentinels of a site, each a fetch in every round; a further one must add
// a tenth.
const maxSentinels = 3

// withSentinels makes those pages the tops of each site whose changes predicted its other pages
// best in their common past: often a page of news or downloads, and not the home page. Sites
// without such a page keep their tops.
func (p *past) withSentinels(division sitegraph.Partition) {
	if p.quiet {
		return
	}
	taken := map[sitegraph.PageID]bool{} // a page is a top of one site
	for _, site := range division.Sites {
		for _, top := range site.Tops {
			taken[top] = true
		}
	}
	for i := range division.Sites {
		site := &division.Sites[i]
		pages := slices.Concat(site.Tops, site.Members)
		for _, top := range site.Tops {
			delete(taken, top)
		}
		if chosen := p.sentinels(pages, taken); len(chosen) > 0 {
			site.Tops = chosen
			site.Members = slices.DeleteFunc(
				pages,
				func(page sitegraph.PageID) bool { return slices.Contains(chosen, page) },
			)
			slices.Sort(site.Tops)
			slices.Sort(site.Members)
		}
		for _, top := range site.Tops {
			taken[top] = true
		}
	}
}

// sentinels returns the pages of a site that are worth their fetch as signals of the others, none
// of them taken; nil if there is no such page.
func (p *past) sentinels(pages []sitegraph.PageID,
	taken map[sitegraph.PageID]bool) []sitegraph.PageID {
	var chosen []sitegraph.PageID
	var signal weeks
	told := 0.0
	shortList := p.mostChanged(pages, taken)
	for len(chosen) < maxSentinels {
		next, nextSignal, most := sitegraph.NoPage, weeks{}, told*1.1
		for _, candidate := range shortList {
			if slices.Contains(chosen, candidate) {
				continue
			}
			with := p.of(candidate)
			if len(chosen) > 0 {
				with = signal.or(with)
			}
			// Sums in another order may differ in the last digits.
			if t := p.tells(with, pages, append(chosen, candidate)); t > most*(1+1e-9) {
				next, nextSignal, most = candidate, with, t
			}
		}
		if next == sitegraph.NoPage {
			break
		}
		chosen, signal, told = append(chosen, next), nextSignal, most
	}
	return chosen
}

// mostChanged returns the pages of a site that changed in most weeks, at most sentinelCandidates of
// them; pages nearer to a start page first, then by address.
func (p *past) mostChanged(pages []sitegraph.PageID,
	taken map[sitegraph.PageID]bool) []sitegraph.PageID {
	var changed []sitegraph.PageID
	for _, page := range pages {
		if p.of(page).changed != 0 && !taken[page] {
			changed = append(changed, page)
		}
	}
	g := p.pages.Graph
	slices.SortFunc(changed, func(a, b sitegraph.PageID) int {
		return cmp.Or(bits.OnesCount32(p.of(b).changed)-bits.OnesCount32(p.of(a).changed),
			g.Depth(a)-g.Depth(b), cmp.Compare(g.URL(a), g.URL(b)))
	})
	return changed[:min(len(changed), sentinelCandidates)]
}

// tells returns the information of a signal about the pages of a site except the sentinels, in nats
// a visit.
func (p *past) tells(signal weeks, pages, sentinels []sitegraph.PageID) float64 {
	sum := 0.0
	for _, page := range pages {
		if !slices.Contains(sentinels, page) {
			w := p.of(page)
			sum += estimator.Information(signal.seen, signal.changed, w.seen, w.changed)
		}
	}
	return sum
}
