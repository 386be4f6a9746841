package present

import (
	"cmp"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
)

// forest has the sites in trees: each site is below one of its upper sites, the first that a search
// from the start pages finds. The relation of sites itself has many pairs and cycles.
type forest struct {
	roots  []int // sites of start pages, then sites that no start page leads to
	below  [][]int
	parent []int // -1 for roots
	weight []int // pages of the site and of the sites below it
	order  []int // parents before children
	aloof  int   // number of sites that no start page leads to: the last ones of order
}

// newForest makes the forest of a division.
func newForest(d *eval.Division) *forest {
	n := len(d.Result.Sites)
	f := &forest{below: make([][]int, n), parent: make([]int, n), weight: make([]int, n)}
	lower := make([][]int, n)
	for i, s := range d.Result.Sites {
		f.weight[i] = len(s.Tops) + len(s.Members)
		for _, u := range s.Upper {
			lower[u] = append(lower[u], i)
		}
	}
	reached := make([]bool, n)
	start := func(i int) {
		reached[i], f.parent[i] = true, -1
		f.roots, f.order = append(f.roots, i), append(f.order, i)
	}
	grow := func(head int) {
		for ; head < len(f.order); head++ {
			from := f.order[head]
			for _, i := range lower[from] {
				if !reached[i] {
					reached[i], f.parent[i] = true, from
					f.below[from], f.order = append(f.below[from], i), append(f.order, i)
				}
			}
		}
	}
	for i, s := range d.Partition.Sites {
		if slices.ContainsFunc(s.Tops, func(p sitegraph.PageID) bool {
			return d.Source.Graph.Depth(p) == 1
		}) {
			start(i)
		}
	}
	grow(0)
	f.aloof = n - len(f.order)
	for i := range reached {
		if !reached[i] {
			start(i)
			grow(len(f.order) - 1)
		}
	}
	f.weigh()
	return f
}

// weigh sums up from the leaves and puts heavy branches first.
func (f *forest) weigh() {
	for _, i := range slices.Backward(f.order) {
		if up := f.parent[i]; up >= 0 {
			f.weight[up] += f.weight[i]
		}
	}
	for _, list := range f.below {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Compare(f.weight[b], f.weight[a])
		})
	}
}

// size counts the sites and those below them.
func (f *forest) size(sites []int) int {
	n := 0
	for _, i := range sites {
		n += 1 + f.size(f.below[i])
	}
	return n
}
