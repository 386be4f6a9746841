package report

import (
	"fmt"
	"strings"
)

// dots draws the pages, with their names where there is room.
func (c *canvas) dots() {
	c.parts(func(_ *tray, p *part) {
		for i, page := range p.pages {
			x := p.x + c.plan.unit*float64(2+2*(i%p.across))
			y := p.y + p.head + c.plan.unit*float64(2+2*(i/p.across))
			if c.plan.named {
				x, y = p.x+12, p.y+c.plan.unit*(1.5+2*float64(i))
			}
			at := p.blocks[0]
			if len(p.blocks) > 1 {
				at = p.blocks[i]
			}
			c.dot(page, c.blocks[at].colour, x, y)
			if c.plan.named {
				class := "k"
				if c.isTop[page] {
					class = "k n"
				}
				fmt.Fprintf(&c.Builder, `<text class="%s" x="%.1f" y="%.1f">%s</text>`,
					class, x+9, y+3.6,
					text(label(c.Pages[page].Name, int((p.w-24)/letter))))
			}
		}
	})
}

// dot draws a page: tops as outlined squares, members as discs, orphans as rings.
func (c *canvas) dot(page, colour int, x, y float64) {
	r := c.plan.unit * .78
	if c.plan.named {
		r = 4.4
	}
	title := c.Pages[page].Title
	switch {
	case c.times[page] == 0:
		c.add(
			`<circle class="o" cx="%.1f" cy="%.1f" r="%.2f"><title>%s (orphan)</title></circle>`,
			x,
			y,
			r*.8,
			text(title),
		)
		return
	case c.isTop[page]:
		title += "\ntop"
	}
	if c.times[page] > 1 {
		title += fmt.Sprintf("\nin %d sites", c.times[page])
	}
	if c.isTop[page] {
		c.add(
			`<rect %s x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1"><title>%s</title></rect>`,
			paint(colour, "p"), x-r, y-r, 2*r, 2*r, text(title))
		return
	}
	c.add(
		`<circle %s cx="%.1f" cy="%.1f" r="%.2f"><title>%s</title></circle>`,
		paint(colour, "m"),
		x,
		y,
		r,
		text(title),
	)
}

// paint returns the attributes of a colour, with a class.
func paint(colour int, class ...string) string {
	name := strings.Join(class, " ")
	if len(class) == 0 {
		name = "f"
	}
	if colour == pale {
		return fmt.Sprintf(`class="%s pale"`, name)
	}
	hex := hues[colour%len(hues)]
	if colour >= len(hues) {
		name += " z"
	}
	if class != nil && class[0] == "p" {
		return fmt.Sprintf(`class="%s" fill="%s"`, name, hex)
	}
	return fmt.Sprintf(`class="%s" fill="%s" stroke="%s"`, name, hex, hex)
}

// counted is "1 page" or "2 pages".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return groupDigits(fmt.Sprint(n)) + " " + noun
}
