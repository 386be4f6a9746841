package report

import (
	"fmt"
	"io"
	"strings"
)

// Map is a drawing of how the pages of a server divide into sites: a column for each
// depth, a dot for each page, a frame and a colour for each site, arrows from upper sites
// to those below. A server of some dozen pages has their names beside the dots; on a
// larger one the dots are packed.
//
// Sites may overlap by hundreds, a page is drawn once: see blocks.
type Map struct {
	Title string
	Notes []string // lines below the title
	Pages []MapPage
	Sites []MapSite // pages in none are drawn as orphans
}

// MapPage is a dot.
type MapPage struct {
	Name  string // short, beside the dot where there is room
	Title string // in full, as tooltip
	Depth int    // 1 for the start page
}

// MapSite is a unit of the partition, as indices into Pages and, for Upper, Sites.
type MapSite struct {
	Tops, Members, Upper []int
}

// deepestColumn bounds the columns: more cannot be told apart on a screen.
const deepestColumn = 64

// SVG writes the map as a self-contained SVG document. It fails before it writes anything
// if an index or a depth is out of range or a site has no top.
func (m Map) SVG(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	_, err := io.WriteString(w, m.draw())
	return err
}

func (m Map) check() error {
	for i, p := range m.Pages {
		if p.Depth < 1 || p.Depth > deepestColumn {
			return fmt.Errorf(
				"map %q: page %d (%s) has depth %d, want 1 to %d",
				m.Title,
				i,
				p.Title,
				p.Depth,
				deepestColumn,
			)
		}
	}
	within := func(site int, what string, list []int, n int) error {
		for _, i := range list {
			if i < 0 || i >= n {
				return fmt.Errorf("map %q: site %d has %s %d of %d", m.Title, site, what, i, n)
			}
		}
		return nil
	}
	for i, s := range m.Sites {
		if len(s.Tops) == 0 {
			return fmt.Errorf("map %q: site %d has no top", m.Title, i)
		}
		for _, list := range []struct {
			what    string
			indices []int
			n       int
		}{{"top", s.Tops, len(m.Pages)}, {"member", s.Members, len(m.Pages)},
			{"upper site", s.Upper, len(m.Sites)}} {
			if err := within(i, list.what, list.indices, list.n); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw returns the document.
func (m Map) draw() string {
	d := newDivision(m)
	plan := d.plan()
	body := &canvas{division: d, plan: plan}
	body.legend()
	body.columns()
	body.locate()
	body.ribbons()
	body.frames()
	body.arrows()
	body.dots()
	height := body.height()
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" class="map" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`,
		plan.width,
		height,
		plan.width,
		height,
		text(m.Title),
	)
	fmt.Fprintf(
		&b,
		"<style>%s</style>\n<rect class=\"b\" width=\"%.0f\" height=\"%.0f\"/>",
		mapStyle,
		plan.width,
		height,
	)
	b.WriteString(body.String())
	b.WriteString("\n</svg>\n")
	return b.String()
}
