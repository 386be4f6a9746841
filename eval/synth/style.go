package synth

import "math/rand/v2"

// style is how a server writes its pages, and its other features.
type style struct {
	layout      layout
	links       linkForm
	frames      bool // the start page is a frameset
	nav         bool // a block of links to all sections on every page
	flat        flatForm
	blog        bool
	gone        bool // vanished pages answer 410, not 404
	robots      bool // there is a robots.txt
	delay       int  // its crawl-delay in seconds; 0: none
	sitemap     bool
	sitemapLies bool // lastmod is always the day of the request
	rss         bool // the feed is RSS 2.0, not Atom
}

type layout uint8

const (
	layoutSemantic layout = iota // header, nav, main, aside, footer
	layoutDivs                   // the same as div elements with ids
	layoutTable                  // a table with the menu on the left
	layouts
)

type linkForm uint8

const (
	linkRelative linkForm = iota // "../a/b.html"
	linkRooted                   // "/a/b.html"
	linkAbsolute                 // "http://server/a/b.html"
	linkForms
)

// flatForm is the layout of a server's URLs.
type flatForm uint8

const (
	flatNot   flatForm = iota // a directory for each group
	flatRoot                  // all pages in the root directory
	flatOne                   // all pages but the start page in one directory
	flatQuery                 // all pages are queries of one program
)

// newStyle draws a style. Directories of companies and groups are often not sites, because [LINK
// 5.3] found method C weak there.
func newStyle(p plan, rng *rand.Rand) style {
	chance := func(x float64) bool { return rng.Float64() < x }
	flat := 0.12
	if p.domain == CO || p.domain == GR {
		flat = 0.5
	}
	st := style{layout: layout(rng.IntN(int(layouts))), links: linkForm(rng.IntN(int(linkForms)))}
	if chance(flat) {
		st.flat = 1 + flatForm(rng.IntN(3))
	}
	st.frames = chance(0.15) && p.pages >= 6
	st.nav = chance(0.4) && !st.frames
	st.blog = chance(0.4) && p.pages >= 24 && st.flat == flatNot
	st.gone = chance(0.3)
	st.robots = chance(0.55)
	if chance(0.2) {
		st.delay = 1 + rng.IntN(5)
	}
	st.sitemap = chance(0.4)
	st.sitemapLies = chance(0.25)
	st.rss = chance(0.5)
	return st
}
