package report

import (
	"cmp"
	"slices"
)

// assign puts the parts of all blocks into trays, in the order of their ranks.
func (l *layout) assign(d *division) {
	order := make([]int, len(d.blocks))
	for b := range d.blocks {
		order[d.blocks[b].rank] = b
	}
	for _, b := range order {
		k := &d.blocks[b]
		byDepth := map[int][]int{}
		var depths []int
		for _, p := range k.pages {
			depth := d.Pages[p].Depth
			if byDepth[depth] == nil {
				depths = append(depths, depth)
			}
			byDepth[depth] = append(byDepth[depth], p)
		}
		for _, depth := range depths {
			upper := k.parent
			if k.site != none && depth != k.column {
				upper = b
			}
			l.add(d, upper, depth, b, byDepth[depth])
		}
	}
	for i := range l.cols {
		slices.SortStableFunc(
			l.cols[i].trays,
			func(a, b tray) int { return cmp.Compare(d.place(a.upper), d.place(b.upper)) },
		)
	}
}

// place sorts trays without an upper block last.
func (d *division) place(b int) int {
	if b == none {
		return len(d.blocks)
	}
	return d.blocks[b].rank
}

// add puts pages into the tray of an upper block.
func (l *layout) add(d *division, upper, depth, b int, pages []int) {
	c := l.column(depth)
	i, ok := c.trayOf[upper]
	if !ok {
		i = len(c.trays)
		c.trayOf[upper] = i
		c.trays = append(c.trays, tray{upper: upper})
	}
	t := &c.trays[i]
	single := len(d.blocks[b].pages) == 1 && d.blocks[b].site != none
	if single && t.singles > 0 {
		p := &t.parts[t.singles-1]
		p.blocks = append(p.blocks, b)
		p.pages = append(p.pages, pages...)
		return
	}
	t.parts = append(t.parts, part{blocks: []int{b}, pages: slices.Clone(pages)})
	if single {
		t.singles = len(t.parts)
	}
}
