package report

import (
	"cmp"
	"slices"
)

// relate finds for each block the one upper block that is drawn above it: the first from
// which a search from the start pages reaches it. The relation has far more pairs, and
// circles; a tree of it can be read.
func (d *division) relate() {
	lower := make([][]int, len(d.blocks))
	for i, s := range d.Sites {
		for _, u := range s.Upper {
			if from, to := d.blockOf[u], d.blockOf[i]; from != to {
				lower[from] = append(lower[from], to)
			}
		}
	}
	for b := range lower {
		slices.Sort(lower[b])
		lower[b] = slices.Compact(lower[b])
		d.related += len(lower[b])
	}
	reached := make([]bool, len(d.blocks))
	var queue []int
	for b := range d.blocks {
		if d.blocks[b].site != none && d.blocks[b].column == 1 {
			reached[b] = true
			queue = append(queue, b)
		}
	}
	for head := 0; head < len(queue); head++ { // grows
		for _, b := range lower[queue[head]] {
			if !reached[b] {
				reached[b] = true
				d.blocks[b].parent = queue[head]
				queue = append(queue, b)
			}
		}
	}
	for from := range lower {
		for _, to := range lower[from] {
			if d.blocks[to].parent != from {
				d.others = append(d.others, [2]int{from, to})
			}
		}
	}
	d.weigh(queue)
	d.rank()
}

// weigh sums the pages below each block; order has parents before children.
func (d *division) weigh(order []int) {
	for b := range d.blocks {
		d.blocks[b].weight = len(d.blocks[b].pages)
	}
	for _, b := range slices.Backward(order) {
		if up := d.blocks[b].parent; up != none {
			d.blocks[up].weight += d.blocks[b].weight
		}
	}
}

// rank numbers the blocks from top to bottom: each before those below it, heavy branches
// first, so that arrows hardly cross.
func (d *division) rank() {
	below := make([][]int, len(d.blocks)+1) // the last: those without an upper block
	for b := range d.blocks {
		up := d.blocks[b].parent
		if up == none {
			up = len(d.blocks)
		}
		below[up] = append(below[up], b)
	}
	for _, list := range below {
		slices.SortStableFunc(
			list,
			func(a, b int) int { return cmp.Compare(d.blocks[b].weight, d.blocks[a].weight) },
		)
	}
	next := 0
	var visit func(list []int)
	visit = func(list []int) {
		for _, b := range list {
			d.blocks[b].rank = next
			next++
			visit(below[b])
		}
	}
	visit(below[len(d.blocks)])
}
