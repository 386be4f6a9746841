package policy

import (
	"cmp"
	"slices"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// promoteAgain finds the members that still wait because a top of theirs changed after their last
// visit. Their histories show it, also after a restart, and after visits that failed or were handed
// back.
func (b *bySite) promoteAgain(restart bool) {
	b.members.Reset()
	b.addWaiting(b.only, restart)
	b.byAge(b.members.Waiting())
}

// addWaiting adds those of one server, or of allServers.
func (b *bySite) addWaiting(only sitegraph.ServerID, restart bool) {
	b.eachSite(only, func(site *site) {
		for _, p := range site.Members {
			if b.waiting(p, site) {
				b.members.Push(p)
			}
		}
		if restart && b.gated {
			b.reach(site)
		}
	})
}

func (b *bySite) nextMember() (planner.Visit, bool) {
	for p, ok := b.members.Pop(); ok; p, ok = b.members.Pop() {
		if b.Pages.Refetchable(p) {
			return planner.Unranked(p, planner.Because("the top page of its site changed")), true
		}
	}
	return planner.Visit{}, false
}

// byAge sorts pages by their last visit, the oldest first, then by depth.
func (b *bySite) byAge(pages []sitegraph.PageID) {
	b.byDepth(pages)
	slices.SortStableFunc(pages, func(p, q sitegraph.PageID) int {
		return cmp.Compare(b.Pages.Memory(p).History.Last, b.Pages.Memory(q).History.Last)
	})
}

// waiting reports whether a top of the site changed after p was last visited.
func (b *bySite) waiting(p sitegraph.PageID, site *site) bool {
	return site.changed > b.Pages.Memory(p).History.Last
}

// startMembers queues the members of the promoted sites. If the method learns, sites come first
// whose tops predicted well; otherwise they come in seeded order.
func (b *bySite) startMembers() {
	t := b.ties.UpTo(b.Pages)
	for _, site := range b.promoted {
		site.tie = site.smallestTie(t)
	}
	slices.SortFunc(b.promoted, func(x, y *site) int {
		return cmp.Or(cmp.Compare(y.trust, x.trust), cmp.Compare(x.tie, y.tie),
			int(x.Tops[0]-y.Tops[0]))
	})
	for _, site := range b.promoted {
		members := slices.Clone(site.Members)
		b.byDepth(members)
		b.members.Push(members...)
	}
	b.promoted = b.promoted[:0]
}

// Offer ranks the oldest copies, for the budget that the method leaves.
func (b *bySite) Offer(pages []sitegraph.PageID) {
	b.oldest.Add(b.Pages, b.ties.UpTo(b.Pages), pages, func(p sitegraph.PageID) float64 {
		return -float64(b.Pages.Memory(p).History.Last)
	})
}

func (b *bySite) nextOldest() (planner.Visit, bool) {
	best, ok := b.oldest.Pop(b.Pages)
	return planner.Unranked(best.Page, planner.Because("oldest copy, budget left")), ok
}
