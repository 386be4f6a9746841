package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Arrows that a reader can follow.
const (
	mostArrows = 16 // into a column, those with most pages at their end and below
	mostOthers = 24 // beyond the tree, dashed; none if there are more
)

// Lines meet a box in two heights, so that one never hides the other.
const (
	ribbonShare = .35
	arrowShare  = .6
)

// arrow leads from a block to a box.
type arrow struct {
	from   int
	to     box
	weight int // pages there and below
}

// ribbons draws lines from a block to its members of other depths.
func (c *canvas) ribbons() {
	c.parts(func(t *tray, p *part) {
		if t.upper != none && p.blocks[0] == t.upper {
			c.add(
				`<path %s style="fill:none" d="%s"/>`,
				paint(c.blocks[t.upper].colour, "w"),
				route(c.at[t.upper], p.box, ribbonShare),
			)
		}
	})
}

// arrows draws the upper relation: to each tray from the block above it, and where all
// pairs can be told apart the others too.
func (c *canvas) arrows() {
	arrows := map[int][]arrow{} // by column
	var last *tray
	c.parts(func(t *tray, p *part) {
		if t.upper == none || p.blocks[0] == t.upper {
			return
		}
		weight := 0
		for _, b := range p.blocks {
			weight += c.blocks[b].weight
		}
		depth := c.Pages[p.pages[0]].Depth
		if t == last && !c.plan.named { // one for all parts
			arrows[depth][len(arrows[depth])-1].weight += weight
			return
		}
		to := p.box
		if !c.plan.named {
			last, to = t, t.box
		}
		arrows[depth] = append(arrows[depth], arrow{t.upper, to, weight})
	})
	for _, col := range c.plan.cols {
		into := arrows[col.depth]
		slices.SortStableFunc(into, func(a, b arrow) int { return cmp.Compare(b.weight, a.weight) })
		most := mostArrows
		if c.plan.named {
			most = len(into)
		}
		for _, a := range into[:min(len(into), most)] {
			c.arrow("u", c.at[a.from], a.to)
		}
	}
	if len(c.others) <= mostOthers {
		for _, pair := range c.others {
			c.arrow("u v", c.at[pair[0]], c.at[pair[1]])
		}
	}
}

// locate finds for each block the place of its lead: the part in its column, or its dot
// among those of one page.
func (c *canvas) locate() {
	c.at = make([]box, len(c.blocks))
	u := c.plan.unit
	for i := range c.plan.cols {
		for _, t := range c.plan.cols[i].trays {
			for _, p := range t.parts {
				for j, b := range p.blocks {
					switch {
					case c.blocks[b].column != c.plan.cols[i].depth:
					case len(p.blocks) == 1:
						c.at[b] = p.box
					case c.plan.named:
						c.at[b] = box{p.x, p.y + u*(.5+2*float64(j)), p.w, 2 * u}
					default:
						c.at[b] = box{
							p.x + u*float64(1+2*(j%p.across)),
							p.y + p.head + u*float64(1+2*(j/p.across)),
							2 * u,
							2 * u,
						}
					}
				}
			}
		}
	}
}

// anchor is the height at which a line meets a box: not far down a tall one.
func (b box) anchor(share float64) float64 { return b.y + share*min(b.h, 34) }

// route returns a path from the right edge of a box to another: to its left edge if that
// lies further right, else around to its right edge.
func route(from, to box, share float64) string {
	x1, y1, y2 := from.x+from.w, from.anchor(share), to.anchor(share)
	if to.x >= x1 {
		x2 := to.x - 1
		bend := max(14, (x2-x1)/2)
		return fmt.Sprintf(
			"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f",
			x1,
			y1,
			x1+bend,
			y1,
			x2-bend,
			y2,
			x2,
			y2,
		)
	}
	x2 := to.x + to.w + 1
	if x2 < from.x { // far back: below the lines that lead forward
		low := max(y1, y2) + 14
		return fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f",
			x1, y1, x1+20, low, x2+30, low, x2, y2)
	}
	bend := max(x1, x2) + min(26, 8+math.Abs(y2-y1)/8)
	return fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f",
		x1, y1, bend, y1, bend, y2, x2, y2)
}

// arrow draws a curve with a head at its end.
func (c *canvas) arrow(class string, from, to box) {
	c.add(`<path class="%s" d="%s"/>`, class, route(from, to, arrowShare))
	x, turn := to.x, 1.
	if to.x < from.x+from.w {
		x, turn = to.x+to.w, -1
	}
	fmt.Fprintf(
		&c.Builder,
		`<path class="a" d="M%.1f %.1fl%.1f -2.6v5.2z"/>`,
		x,
		to.anchor(arrowShare),
		-5*turn,
	)
}
