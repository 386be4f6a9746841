package report

import (
	"fmt"
	"strings"
)

// legend writes the title, the notes, and what the marks and colours mean.
func (c *canvas) legend() {
	c.add(`<text class="t" x="%d" y="34">%s</text>`, mapMargin, text(shorten(c.Title, 140)))
	y := 54.
	for _, note := range c.Notes {
		c.add(`<text x="%d" y="%.1f">%s</text>`, mapMargin, y, text(shorten(note, 210)))
		y += 17
	}
	if n := len(c.Sites); n > 0 && c.groups() < n {
		c.add(
			`<text x="%d" y="%.1f">Sites that share half of their pages are drawn as one: %s as %s.</text>`,
			mapMargin,
			y,
			counted(n, "site"),
			counted(c.groups(), "group"),
		)
		y += 17
	}
	if c.related > 0 && len(c.others) > mostOthers {
		c.add(
			`<text x="%d" y="%.1f">Arrows come from the upper site nearest to the start page; %s, circles among them, are left out.</text>`,
			mapMargin,
			y,
			counted(len(c.others), "other pair"),
		)
		y += 17
	}
	y += 8
	const columns, row = 4, 19
	wide := (c.plan.width - 2*mapMargin) / columns
	entries := c.entries()
	rows := (len(entries) + columns - 1) / columns
	for i, e := range entries {
		x := mapMargin + wide*float64(i/rows)
		at := y + float64(row*(i%rows))
		c.add(
			`%s<text class="n" x="%.1f" y="%.1f">%s</text>`,
			e.mark(x+7, at),
			x+22,
			at+4,
			text(shorten(e.text, 50)),
		)
	}
	c.top = y + float64(row*rows)
}

// count tells the pages drawn in a block, and those of its site that are drawn in others.
func (k *block) count() string {
	if k.elsewhere > 0 {
		return fmt.Sprintf("%s + %d elsewhere", counted(len(k.pages), "page"), k.elsewhere)
	}
	return counted(len(k.pages), "page")
}

// groups counts the blocks without the orphans.
func (c *canvas) groups() int {
	n := len(c.blocks)
	if n > 0 && c.blocks[n-1].site == none {
		n--
	}
	return n
}

// legendColumn is how many characters stand beside each other in a column of the legend.
const legendColumn = 42

// entry is a line of the legend.
type entry struct {
	mark func(x, y float64) string
	text string
}

func square(colour int) func(x, y float64) string {
	return func(x, y float64) string {
		return fmt.Sprintf(
			`<rect %s x="%.1f" y="%.1f" width="12" height="12" rx="2"/>`,
			paint(colour, "q"),
			x-6,
			y-6,
		)
	}
}

func (c *canvas) entries() []entry {
	named := make([]*block, len(hues))
	more, morePages, singles, orphans, drawn := 0, 0, 0, 0, 0
	for b := range c.blocks {
		k := &c.blocks[b]
		switch {
		case k.site == none:
			orphans = len(k.pages)
			continue
		case k.colour == pale:
			singles++
		case k.colour < len(hues):
			named[k.colour] = k
		default:
			more++
			morePages += len(k.pages)
		}
		drawn++
	}
	var list []entry
	for colour, k := range named {
		if k != nil {
			list = append(
				list,
				entry{
					square(colour),
					label(c.Pages[k.lead].Name, legendColumn-columns(k.count())) + ": " + k.count(),
				},
			)
		}
	}
	if more > 0 {
		list = append(
			list,
			entry{
				c.swatches,
				fmt.Sprintf("%s more with %s", counted(more, "site"), counted(morePages, "page")),
			},
		)
	}
	if singles > 0 {
		list = append(list, entry{square(pale), fmt.Sprintf("%s of one page",
			counted(singles, "site"))})
	}
	return append(list, c.marks(orphans, drawn)...)
}

func (c *canvas) swatches(x, y float64) string {
	s := ""
	for i := range 3 {
		s += fmt.Sprintf(
			`<rect %s x="%.1f" y="%.1f" width="4" height="12"/>`,
			paint(i, "q"),
			x-6+4*float64(i),
			y-6,
		)
	}
	return s
}

// marks explains shapes and lines.
func (c *canvas) marks(orphans, drawn int) []entry {
	tops := 0
	for _, is := range c.isTop {
		if is {
			tops++
		}
	}
	list := []entry{
		{func(x, y float64) string {
			return fmt.Sprintf(
				`<rect %s x="%.1f" y="%.1f" width="9" height="9" rx="1"/>`,
				paint(pale, "p"),
				x-4.5,
				y-4.5,
			)
		}, counted(tops, "top")},
	}
	if members := len(c.Pages) - tops - orphans; members > 0 {
		list = append(list, entry{func(x, y float64) string {
			return fmt.Sprintf(`<circle %s cx="%.1f" cy="%.1f" r="4.5"/>`, paint(pale, "m"), x, y)
		}, counted(members, "other member")})
	}
	if orphans > 0 {
		list = append(list, entry{func(x, y float64) string {
			return fmt.Sprintf(`<circle class="o" cx="%.1f" cy="%.1f" r="4"/>`, x, y)
		}, counted(orphans, "orphan") + ", in no site"})
	}
	if c.related == 0 {
		return list
	}
	return append(list, entry{func(x, y float64) string {
		return fmt.Sprintf(
			`<path class="u" d="M%.1f %.1fh12"/><path class="a" d="M%.1f %.1fl-5 -2.6v5.2z"/>`,
			x-7,
			y,
			x+7,
			y,
		)
	}, "from an upper site to sites below it"})
}

// label shortens an address: to its directory, or at its beginning, as addresses differ at
// their ends.
func label(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	s = strings.TrimSuffix(s, ".html")
	if i := strings.LastIndexByte(s, '/'); i > 0 && i < len(s)-1 && columns(s[i:]) > width-2 {
		s = s[:i+1]
	}
	return ending(s, width)
}

// ending cuts s at its beginning.
func ending(s string, width int) string {
	s = oneLine(s)
	if columns(s) <= width {
		return s
	}
	runes := []rune(s)
	runes = runes[max(0, len(runes)-4*width):] // an address may be very long
	for len(runes) > 0 && columns(string(runes)) > width-1 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}
