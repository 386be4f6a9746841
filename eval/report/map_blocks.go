package report

import (
	"cmp"
	"slices"
)

// none is the index of no block.
const none = -1

// block is a site that is drawn, with the pages that are drawn in it: tops first, then
// members, each in the order of the map.
type block struct {
	site      int // none: the orphans
	pages     []int
	elsewhere int // pages of the site that are drawn in other blocks
	lead      int // the nearest top to the start page, which names the block
	column    int // depth of the lead, where the arrows start
	parent    int // the upper block nearest to the start page, or none
	weight    int // pages of this block and of those below it
	rank      int // place in the order from top to bottom
	colour    int
}

// division is a map whose pages are each given to one block.
//
// On many a server all pages of a directory link to each other, and each is the top of
// nearly the same site. Only sites that hold something of their own become blocks: in
// falling size those of which half the pages are in no block yet, then those with any page
// that still is in none. A page stands in the block whose top it is, else in the first
// that contains it. Tops of the sites that are no blocks are marked where they stand.
type division struct {
	Map
	isTop   []bool
	times   []int // sites a page is in
	blocks  []block
	blockOf []int // by site: its own, or the one in which its first top stands
	related int   // pairs of blocks of which one is upper to the other
	others  [][2]int
}

func newDivision(m Map) *division {
	d := &division{Map: m, isTop: make([]bool, len(m.Pages)), times: make([]int, len(m.Pages))}
	for _, s := range m.Sites {
		for _, p := range s.Tops {
			d.isTop[p] = true
			d.times[p]++
		}
		for _, p := range s.Members {
			d.times[p]++
		}
	}
	d.settle(d.choose())
	d.relate()
	d.colour()
	return d
}

// size counts the pages of a site.
func (s MapSite) size() int { return len(s.Tops) + len(s.Members) }

// choose returns the sites that become blocks, the largest first.
func (d *division) choose() []int {
	order := make([]int, len(d.Sites))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.Sites[b].size(), d.Sites[a].size()),
			cmp.Compare(d.Pages[d.Sites[a].Tops[0]].Depth, d.Pages[d.Sites[b].Tops[0]].Depth))
	})
	covered, chosen := make([]bool, len(d.Pages)), make([]bool, len(d.Sites))
	for _, atLeast := range []float64{.5, 0} {
		for _, i := range order {
			open := 0
			for _, p := range slices.Concat(d.Sites[i].Tops, d.Sites[i].Members) {
				if !covered[p] {
					open++
				}
			}
			if chosen[i] || open == 0 || float64(open) < atLeast*float64(d.Sites[i].size()) {
				continue
			}
			chosen[i] = true
			for _, p := range slices.Concat(d.Sites[i].Tops, d.Sites[i].Members) {
				covered[p] = true
			}
		}
	}
	return slices.DeleteFunc(order, func(i int) bool { return !chosen[i] })
}

// settle gives each page its block, the orphans one of their own, and each site a block.
func (d *division) settle(chosen []int) {
	home := make([]int, len(d.Pages))
	for p := range home {
		home[p] = none
	}
	give := func(pages []int, b int) {
		for _, p := range pages {
			if home[p] == none {
				home[p] = b
			}
		}
	}
	d.blockOf = make([]int, len(d.Sites))
	for i := range d.blockOf {
		d.blockOf[i] = none
	}
	for b, i := range chosen {
		d.blockOf[i] = b
		give(d.Sites[i].Tops, b)
	}
	for b, i := range chosen {
		give(d.Sites[i].Members, b)
		d.blocks = append(d.blocks, block{site: i, parent: none, lead: none})
	}
	orphans := len(d.blocks)
	if slices.Contains(home, none) {
		d.blocks = append(d.blocks, block{site: none, parent: none, lead: none})
	}
	for _, tops := range []bool{true, false} {
		for p, b := range home {
			if b == none {
				b = orphans
			}
			if d.isTop[p] != tops {
				continue
			}
			k := &d.blocks[b]
			k.pages = append(k.pages, p)
			if k.lead == none || tops && d.Pages[p].Depth < k.column {
				k.lead, k.column = p, d.Pages[p].Depth
			}
		}
	}
	for i, s := range d.Sites {
		if d.blockOf[i] == none {
			d.blockOf[i] = home[s.Tops[0]]
			continue
		}
		for _, p := range slices.Concat(s.Tops, s.Members) {
			if home[p] != d.blockOf[i] {
				d.blocks[d.blockOf[i]].elsewhere++
			}
		}
	}
}

// hues is how many blocks have a colour of their own; the others take them in turn, paler.
var hues = []string{
	"#0072b2",
	"#d55e00",
	"#009e73",
	"#cc79a7",
	"#e69f00",
	"#56b4e9",
	"#8468b8",
	"#9a6a3c",
	"#6f9a1e",
}

// pale is the colour of single pages, which are too many to be told apart by colour.
const pale = none

// colour gives the largest blocks the first hues.
func (d *division) colour() {
	bySize := make([]int, len(d.blocks))
	for b := range bySize {
		bySize[b] = b
	}
	slices.SortStableFunc(
		bySize,
		func(a, b int) int { return cmp.Compare(len(d.blocks[b].pages), len(d.blocks[a].pages)) },
	)
	next := 0
	for _, b := range bySize {
		d.blocks[b].colour = pale
		if d.blocks[b].site != none &&
			(len(d.blocks[b].pages) > 1 || len(d.Pages) <= namedPages &&
				len(d.Sites) <= len(hues)) {
			d.blocks[b].colour = next
			next++
		}
	}
}
