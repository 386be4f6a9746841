package report

import (
	"fmt"
	"strings"
)

// letter is the width of a column of small text in the widest of the usual fonts.
const letter = 6

// canvas collects the drawing; y grows downwards from the legend to the columns.
type canvas struct {
	strings.Builder
	*division
	plan *layout
	top  float64 // of the trays
	at   []box   // of the blocks, by their leads
}

func (c *canvas) add(format string, args ...any) {
	c.WriteByte('\n')
	fmt.Fprintf(&c.Builder, format, args...)
}

// height is that of the whole drawing.
func (c *canvas) height() float64 { return c.top + c.plan.height + mapMargin }

// columns draws the headings and turns all places into those of the drawing.
func (c *canvas) columns() {
	c.top += 44
	u := c.plan.unit
	for i := range c.plan.cols {
		col := &c.plan.cols[i]
		c.add(
			`<rect class="c" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>`,
			col.x-8,
			c.top-38,
			col.w+16,
			c.plan.height+46,
		)
		c.add(`<text class="h" x="%.1f" y="%.1f">depth %d</text>`, col.x, c.top-20, col.depth)
		c.add(`<text class="k" x="%.1f" y="%.1f">%s</text>`,
			col.x, c.top-7, counted(col.pages, "page"))
		wide := u
		if c.plan.named {
			wide = col.w
		}
		for t := range col.trays {
			tr := &col.trays[t]
			tr.box = box{col.x + tr.x*wide, c.top + tr.y*u, tr.w * wide, tr.h * u}
			for p := range tr.parts {
				pt := &tr.parts[p]
				pt.box = box{tr.x + pt.x*wide, tr.y + pt.y*u, pt.w * wide, pt.h * u}
				pt.head *= u
			}
		}
	}
}

// parts calls f for each part, from left to right and top to bottom.
func (c *canvas) parts(f func(t *tray, p *part)) {
	for i := range c.plan.cols {
		for t := range c.plan.cols[i].trays {
			tr := &c.plan.cols[i].trays[t]
			for p := range tr.parts {
				f(tr, &tr.parts[p])
			}
		}
	}
}

// frames draws the borders of trays and blocks, and the names of blocks.
func (c *canvas) frames() {
	inset := c.plan.unit / 2
	var last *tray
	c.parts(func(t *tray, p *part) {
		if t != last && len(t.parts) > 1 && !c.plan.named {
			c.add(
				`<rect class="y" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4"/>`,
				t.x+.5,
				t.y+.5,
				t.w-1,
				t.h-1,
			)
		}
		last = t
		k := &c.blocks[p.blocks[0]]
		if k.site == none || len(p.blocks) > 1 || len(k.pages) == 1 {
			return
		}
		at := fmt.Sprintf(
			`x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4"`,
			p.x+inset,
			p.y+inset,
			p.w-2*inset,
			p.h-2*inset,
		)
		c.add(
			`<rect class="g" %s/><rect %s %s><title>%s</title></rect>`,
			at,
			paint(k.colour, "f"),
			at,
			text(c.describe(k)),
		)
		if p.head > 0 {
			name := label(c.Pages[k.lead].Name, int((p.w-3*inset)/letter))
			c.add(`<text class="k" x="%.1f" y="%.1f">%s</text>`,
				p.x+2*inset+1, p.y+inset+11.5, text(name))
		}
	})
}

func (c *canvas) describe(k *block) string {
	tops := 0
	for _, p := range k.pages {
		if c.isTop[p] {
			tops++
		}
	}
	return fmt.Sprintf(
		"%s\n%s, %s",
		c.Pages[k.lead].Title,
		counted(tops, "top"),
		counted(len(k.pages)-tops, "member"),
	)
}
