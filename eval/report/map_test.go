package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// mapOf is a server of so many pages: a start page, directories below it of rising size,
// each with a top, a page that is the top of nearly the same site, members, and an orphan.
func mapOf(pages int) Map {
	m := Map{Title: fmt.Sprintf("server of %d pages", pages), Notes: []string{"a note"}}
	m.Pages = append(m.Pages, MapPage{"/", "http://a.example/", 1})
	m.Sites = append(m.Sites, MapSite{Tops: []int{0}})
	for d := 1; len(m.Pages) < pages; d++ {
		first := len(m.Pages)
		var all []int
		for i := range min(1+d%40, pages-first) {
			name := fmt.Sprintf("/directory-%d/page-%d.html", d, i)
			m.Pages = append(m.Pages,
				MapPage{name, "http://a.example" + name, min(2+d%9+min(i, 1), 11)})
			all = append(all, first+i)
		}
		if d%7 == 6 {
			continue // orphans
		}
		m.Sites = append(m.Sites,
			MapSite{Tops: all[:1], Members: all[1:],
				Upper: []int{max(0, len(m.Sites)/3), len(m.Sites) - 1}})
		if len(all) > 3 {
			m.Sites = append(m.Sites, MapSite{Tops: all[1:2], Members: []int{all[0], all[2]},
				Upper: []int{len(m.Sites) - 1}})
		}
	}
	m.Sites[0].Upper = []int{len(m.Sites) - 1} // a circle
	return m
}

func TestMapDrawsEachPageOnce(t *testing.T) {
	for _, pages := range []int{1, 2, 9, 30, 150, 151, 400, 3000} {
		m := mapOf(pages)
		svg := render(t, m.SVG)
		wellFormed(t, svg)
		drawn := map[string]int{}
		for _, piece := range strings.Split(svg, "><title>")[1:] {
			name, _, _ := strings.Cut(piece, "<")
			name, _, isFrame := strings.Cut(name, "\n")
			if kind := piece[strings.Index(piece, "\n")+1:]; !isFrame ||
				strings.HasPrefix(kind, "top<") || strings.HasPrefix(kind, "top\nin ") ||
				strings.HasPrefix(kind, "in ") {
				drawn[strings.TrimSuffix(name, " (orphan)")]++
			}
		}
		for _, p := range m.Pages {
			if drawn[p.Title] != 1 {
				t.Fatalf("%d pages: %s is drawn %d times", pages, p.Title, drawn[p.Title])
			}
		}
		for _, bad := range []string{"NaN", "Inf", "%!", "http://www.w3.org/1999", "url("} {
			if strings.Contains(svg, bad) {
				t.Errorf("%d pages: the map holds %q", pages, bad)
			}
		}
		if render(t, m.SVG) != svg {
			t.Errorf("%d pages: two maps of the same sites differ", pages)
		}
	}
}

// [LINK] figure 4 with home links: (D,E) and (E,F) share E, which stands where it is top.
func TestMapBlocks(t *testing.T) {
	m := Map{Pages: []MapPage{{"R", "R", 1}, {"A", "A", 2}, {"B", "B", 3}, {"C", "C", 3},
		{"D", "D", 2}, {"E", "E", 3}, {"F", "F", 4}},
		Sites: []MapSite{{Tops: []int{0}, Upper: []int{1}},
			{Tops: []int{1}, Members: []int{2, 3}, Upper: []int{0}},
			{Tops: []int{4}, Members: []int{5}, Upper: []int{0}},
			{Tops: []int{5}, Members: []int{6}, Upper: []int{2}}}}
	d := newDivision(m)
	var got []string
	for _, b := range d.blocks {
		line := ""
		for _, p := range b.pages {
			line += m.Pages[p].Name
		}
		if b.parent != none {
			line += "<" + m.Pages[d.blocks[b.parent].lead].Name
		}
		got = append(got, line)
	}
	slices.Sort(got)
	if s := strings.Join(got, " "); s != "ABC<R D<R EF<D R" {
		t.Errorf("blocks %s", s)
	}
	if len(d.others) != 1 { // the home link
		t.Errorf("other pairs %v", d.others)
	}
}

// Sites that are nearly the same become one block, whose tops are all marked.
func TestMapOfOverlappingSites(t *testing.T) {
	m := Map{Title: "a clique"}
	for i := range 20 {
		m.Pages = append(m.Pages, MapPage{fmt.Sprint(i), fmt.Sprint(i), 1 + min(i, 1)})
	}
	for i := range 20 {
		s := MapSite{Tops: []int{i}}
		for j := range 20 {
			if j != i {
				s.Members = append(s.Members, j)
			}
		}
		m.Sites = append(m.Sites, s)
	}
	if d := newDivision(m); len(d.blocks) != 1 || len(d.blocks[0].pages) != 20 ||
		m.Pages[d.blocks[0].lead].Depth != 1 {
		t.Errorf("%d blocks", len(d.blocks))
	}
	if svg := render(t, m.SVG); strings.Count(svg, "\nin 20 sites") != 20 ||
		!strings.Contains(svg, "20 sites as 1 group.") {
		t.Error("the map does not say that sites overlap")
	}
}

func TestMapRefuses(t *testing.T) {
	page := MapPage{"/", "http://a.example/", 1}
	for want, m := range map[string]Map{
		"site 0 has no top": {Pages: []MapPage{page}, Sites: []MapSite{{}}},
		"has top 1 of 1":    {Pages: []MapPage{page}, Sites: []MapSite{{Tops: []int{1}}}},
		"has member -1 of 1": {Pages: []MapPage{page},
			Sites: []MapSite{{Tops: []int{0}, Members: []int{-1}}}},
		"has upper site 1 of 1": {Pages: []MapPage{page},
			Sites: []MapSite{{Tops: []int{0}, Upper: []int{1}}}},
		"has depth 0":  {Pages: []MapPage{{"/", "/", 0}}},
		"has depth 65": {Pages: []MapPage{{"/", "/", 65}}},
	} {
		if err := m.SVG(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	wellFormed(t, render(t, Map{}.SVG))
}

func TestMapEscaping(t *testing.T) {
	svg := render(t, Map{Title: nasty, Notes: []string{nasty},
		Pages: []MapPage{{nasty, nasty, 1}, {nasty, nasty, 2}},
		Sites: []MapSite{{Tops: []int{0}, Members: []int{1}}}}.SVG)
	wellFormed(t, svg)
	if strings.Contains(svg, "<script") || strings.ContainsAny(svg, "\x00\x1b\u202e") {
		t.Error("the map holds text unescaped")
	}
}

func TestLabel(t *testing.T) {
	for _, c := range []struct {
		address string
		width   int
		want    string
	}{
		{"/faq.html", 20, "/faq.html"},
		{"/docs/2.21.0/activation-tools.html", 12, "…ocs/2.21.0/"},
		{"/docs/intro.html", 10, "…ocs/intro"},
		{"/a-very-long-name.html", 10, "…long-name"},
		{"/催し/東京/", 6, "…東京/"},
		{"/x", 0, "…"},
	} {
		if got := label(c.address, c.width); got != c.want {
			t.Errorf("label of %s in %d columns is %q, want %q", c.address, c.width, got, c.want)
		}
	}
}

func BenchmarkMap(b *testing.B) {
	for _, pages := range []int{30, 3000} {
		m := mapOf(pages)
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			for b.Loop() {
				if err := m.SVG(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
