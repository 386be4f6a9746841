package synth

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/recrawl/recrawl/sitegraph"
)

// linksOf returns the in-server links and frames of a page as canonical addresses.
func linksOf(t *testing.T, server, path string, body []byte) (links, frames []string) {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse("http://" + server + path)
	if err != nil {
		t.Fatal(err)
	}
	doc.Find("a[href], frame[src]").Each(func(_ int, e *goquery.Selection) {
		ref, frame := e.Attr("src")
		if !frame {
			ref, _ = e.Attr("href")
		}
		u, err := base.Parse(ref)
		if err != nil {
			t.Fatalf("%s%s: %v", server, path, err)
		}
		links = append(links, u.String())
		if frame {
			frames = append(frames, u.String())
		}
	})
	return links, frames
}

// graphAt crawls a server at a time, and counts the links to no living page.
func graphAt(t *testing.T, w *Web, server string, at time.Time) (
	g *sitegraph.Graph, links, broken int) {
	t.Helper()
	g = sitegraph.NewGraph()
	g.AddStart("http://" + server + "/")
	for p := sitegraph.PageID(0); int(p) < g.Pages(); p++ {
		u, err := url.Parse(g.URL(p))
		if err != nil {
			t.Fatal(err)
		}
		links++
		r := w.Resource(server, u.RequestURI(), at)
		if r.Status != 200 {
			broken++
			continue
		}
		to, frames := linksOf(t, server, u.RequestURI(), r.Body)
		g.SetLinks(p, to, frames)
	}
	g.Refresh()
	return g, links, broken
}

// TestLinksResolve crawls at several times: all living pages are within 11 links, and few links are
// broken.
func TestLinksResolve(t *testing.T) {
	links, broken := 0, 0
	for seed := range uint64(2) {
		w := small(seed)
		for _, server := range w.Servers() {
			for _, weeks := range []int{0, 12, 37, 59} {
				at := w.Start().Add(time.Duration(weeks) * week)
				g, l, b := graphAt(t, w, server, at)
				links += l
				broken += b
				for _, path := range w.Pages(server) {
					if w.Resource(server, path, at).Status != 200 {
						continue
					}
					p, ok := g.Lookup("http://" + server + path)
					// its hub will list it soon
					recent := w.Versions(server, path)[0].After(at.Add(-time.Hour))
					if !recent && (!ok || g.Depth(p) == 0) {
						t.Errorf("seed %d week %d: %s%s is alive and not reached",
							seed, weeks, server, path)
					}
				}
			}
		}
	}
	if share := float64(broken) / float64(links); share > 0.01 {
		t.Errorf("%d of %d addresses linked are broken", broken, links)
	}
}

func TestFrames(t *testing.T) {
	w := New(Options{Seed: 4})
	found := 0
	for _, server := range w.Servers() {
		body := w.Resource(server, "/", w.Start()).Body
		if _, frames := linksOf(t, server, "/", body); len(frames) > 0 {
			found++
			for _, f := range frames {
				if r := w.Resource(server, f[len("http://"+server):], w.Start()); r.Status != 200 {
					t.Errorf("%s: frame %s: %d", server, f, r.Status)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no server has frames")
	}
}

// TestMainTextOutlivesRebuilds checks that the main text stays in versions that are only rebuilds,
// or only counters.
func TestMainTextOutlivesRebuilds(t *testing.T) {
	w := New(Options{Seed: 6, Servers: 40, Pages: 1200})
	rebuilds := 0
	for _, s := range w.servers {
		for _, p := range s.pages {
			for v := 1; v < len(p.versions); v++ {
				a, b := p.versions[v-1], p.versions[v]
				if a.content != b.content || p.kind == kindFrameset {
					continue
				}
				if a.looks != b.looks {
					rebuilds++
				}
				if x, y := mainText(t, s.render(p, v-1)), mainText(t, s.render(p, v)); x != y {
					t.Fatalf("%s%s: main text changed without an edit:\n%s\n%s",
						s.name, p.path, x, y)
				}
			}
		}
	}
	if rebuilds == 0 {
		t.Error("no page was rebuilt")
	}
}

func mainText(t *testing.T, body []byte) string {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	doc.Find(
		"head, header, nav, footer, #header, #nav, #footer, .header, .sidebar, .footer").Remove()
	return doc.Text()
}

func TestFeedsAndSitemaps(t *testing.T) {
	w := New(Options{Seed: 4})
	count := map[string]int{}
	for _, server := range w.Servers() {
		for _, path := range []string{"/atom.xml", "/rss.xml", "/sitemap.xml"} {
			r := w.Resource(server, path, w.Start().Add(30*week))
			if r.Status != 200 {
				continue
			}
			count[path]++
			var doc struct {
				Links   []string `xml:"url>loc"`
				Entries []struct {
					Updated time.Time `xml:"updated"`
				} `xml:"entry"`
				Items []string `xml:"channel>item>link"`
			}
			if err := xml.Unmarshal(r.Body, &doc); err != nil {
				t.Fatalf("%s%s: %v", server, path, err)
			}
			for _, u := range append(doc.Links, doc.Items...) {
				if to := w.Resource(server, u[len("http://"+server):],
					w.Start().Add(30*week)); to.Status != 200 {
					t.Errorf("%s%s names %s: %d", server, path, u, to.Status)
				}
			}
			if n := len(doc.Links) + len(doc.Entries) + len(doc.Items); n == 0 {
				t.Errorf("%s%s is empty", server, path)
			}
		}
	}
	if len(count) != 3 {
		t.Errorf("found %s", fmt.Sprint(count))
	}
}
