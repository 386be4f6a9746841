package report

import (
	"cmp"
	"math"
	"slices"
)

// Sizes in the units of the drawing.
const (
	mapWidth   = 1400 // at least
	mapMargin  = 24
	gutter     = 34 // between columns, for arrows
	namedPages = 150
	namedRows  = 50  // of a column
	rowHeight  = 17  // of a page with its name
	leastWidth = 66  // of a column: its heading must fit
	namedLeast = 124 // of a column of names
	namedMost  = 300
	goodHeight = 760
	mostHeight = 1500
)

// part is the pages of a block in one column. A part of many blocks holds the sites of one
// page each that are below the same upper block.
type part struct {
	box
	blocks []int
	pages  []int
	across int     // dots in a row
	head   float64 // units above the dots, for a label
}

// tray is what hangs below one block in one column: the block's own members of that depth
// and the blocks it is upper to. An arrow leads to the tray, not to each of them.
type tray struct {
	box
	upper   int // none: without an upper block
	parts   []part
	singles int // the part of sites of one page, from 1; 0: none
}

// box is a place: within its tray or column in units until the layout is done, then in the
// drawing.
type box struct{ x, y, w, h float64 }

// column is one depth.
type column struct {
	depth, pages int
	x, w         float64
	trays        []tray
	trayOf       map[int]int // by upper block
}

// layout is where everything stands.
type layout struct {
	named  bool // names beside the dots, one page a row
	unit   float64
	width  float64
	cols   []column
	height float64
}

// plan chooses how large the dots are: as large as fits the height of a screen.
func (d *division) plan() *layout {
	most := 0
	counts := map[int]int{}
	for _, p := range d.Pages {
		counts[p.Depth]++
		most = max(most, counts[p.Depth])
	}
	if len(d.Pages) <= namedPages && most <= namedRows {
		l := &layout{named: true, unit: rowHeight / 2.}
		l.fill(d)
		return l
	}
	var l *layout
	for _, try := range []struct{ pitch, height float64 }{
		{18, goodHeight}, {16, goodHeight}, {14, goodHeight}, {12, goodHeight}, {10, goodHeight},
		{9, goodHeight}, {8, goodHeight},
		{8, mostHeight}, {7, mostHeight}, {6, mostHeight}, {5, math.Inf(1)},
	} {
		l = &layout{unit: try.pitch / 2}
		if l.fill(d); l.height <= try.height {
			break
		}
	}
	return l
}

// fill makes the columns and packs them.
func (l *layout) fill(d *division) {
	for _, p := range d.Pages {
		l.column(p.Depth).pages++
	}
	l.assign(d)
	l.widths()
	for i := range l.cols {
		c := &l.cols[i]
		across := 1 // in units
		if !l.named {
			across = int(c.w / l.unit)
		}
		bottom := 0.
		pile := make(skyline, across)
		for t := range c.trays {
			l.packTray(d, &c.trays[t], across)
			pile.place(&c.trays[t].box)
			bottom = max(bottom, c.trays[t].y+c.trays[t].h)
		}
		l.height = max(l.height, bottom*l.unit)
	}
}

// column returns that of a depth; columns are sorted by it.
func (l *layout) column(depth int) *column {
	i, found := slices.BinarySearchFunc(
		l.cols,
		depth,
		func(c column, depth int) int { return cmp.Compare(c.depth, depth) },
	)
	if !found {
		l.cols = slices.Insert(l.cols, i, column{depth: depth, trayOf: map[int]int{}})
	}
	return &l.cols[i]
}

// widths shares the drawing's width among the columns by their pages. The square root
// stands between equal widths and equal heights; pages gather in one or two columns.
func (l *layout) widths() {
	l.width = mapWidth
	if l.named {
		l.width = max(mapWidth, float64(2*mapMargin+len(l.cols)*(namedLeast+gutter)))
	}
	room := l.width - float64(2*mapMargin+gutter*(len(l.cols)-1))
	weight := func(c column) float64 {
		if l.named {
			return 1
		}
		return math.Pow(float64(c.pages), .8)
	}
	total := 0.
	for _, c := range l.cols {
		total += weight(c)
	}
	least := min(leastWidth, room/float64(max(1, len(l.cols))))
	spare := room - least*float64(len(l.cols))
	x := float64(mapMargin)
	for i := range l.cols {
		c := &l.cols[i]
		c.x, c.w = x, least+spare*weight(*c)/total
		if l.named {
			c.w = min(c.w, namedMost)
		}
		x += c.w + gutter
	}
}
