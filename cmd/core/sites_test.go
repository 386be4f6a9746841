package core_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

const exampleBase = "http://a.example"

// linked writes a history of a.example that never changes: URLs and their links, in the given
// order.
func linked(t *testing.T, pages []string, links map[string][]string) string {
	t.Helper()
	const from = 1_700_000_000
	var all []*history.Page
	for _, url := range pages {
		v := history.Version{T: from,
			Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(url))}, LinksKnown: true}
		for _, to := range links[url] {
			v.Links = append(v.Links, exampleBase+to)
		}
		all = append(all, &history.Page{URL: exampleBase + url, Versions: []history.Version{v}})
	}
	var b bytes.Buffer
	if err := history.Write(&b, history.NewServer("a.example", from, all)); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, filepath.Join(t.TempDir(), "a.example.jsonl.gz"), b.String())
}

// The graphs of [LINK] figure 4 (seeds 2.7), edges as "A>B". R is the start page.
const fx4Edges = "R>A R>D A>B A>C C>G D>E E>F G>H H>F"

var (
	fx4Paths = map[string]string{"R": "/", "A": "/a/a", "B": "/a/b", "C": "/a/c", "D": "/d/d",
		"E": "/d/e", "F": "/d/f", "G": "/g/g", "H": "/g/h"}
	fx4Same = map[string]string{"R": "/", "A": "/a/a", "B": "/a/b", "C": "/a/c", "D": "/a/d",
		"E": "/a/e", "F": "/a/f", "G": "/g/g", "H": "/g/h"}
)

func figure4(t *testing.T, paths map[string]string, edges string) string {
	t.Helper()
	var pages []string
	links := map[string][]string{}
	for _, letter := range strings.Split("RABCDEFGH", "") {
		pages = append(pages, paths[letter])
	}
	for _, e := range strings.Fields(edges) {
		links[paths[e[:1]]] = append(links[paths[e[:1]]], paths[e[2:]])
	}
	return linked(t, pages, links)
}

// short writes a partition by letters: "tops; members < uppers", sites in order.
func short(p partition, paths map[string]string) string {
	letter := map[string]string{}
	for l, path := range paths {
		letter[exampleBase+path] = l
	}
	names := func(urls []string) string {
		s := ""
		for _, u := range urls {
			s += letter[u]
		}
		return s
	}
	var sites []string
	for _, s := range p.Sites {
		line := names(s.Tops) + ";" + names(s.Members)
		for _, u := range s.Upper {
			line += "<" + names(p.Sites[u].Tops)
		}
		sites = append(sites, line)
	}
	return strings.TrimSpace(strings.Join(sites, " ") + " " + names(p.Orphans))
}

func TestSitesOfFigure4(t *testing.T) {
	const homeLinks = fx4Edges + " G>R H>A"
	const divided = "R; A;BC<R D;E<R E;F<D G;H<A"
	for _, c := range []struct {
		name, edges string
		paths       map[string]string
		want        map[string]string
	}{
		{"FX4a", fx4Edges, fx4Paths, map[string]string{"a": "R; A;BC<R D;EF<R G;H<A", "b": divided,
			"b-closure": divided, "c": divided, "c-closure": divided,
			"server": "R;ABCDEFGH", "prefix": "R;GH A;BC<R D;EF<R", "shape": "R;GH A;BC<R D;EF<R"}},
		{"FX4b", fx4Edges, fx4Same, map[string]string{"a": "R; AD;BCEF<R G;H<AD", "b": divided,
			"c": divided}},
		{"FX4c", homeLinks, fx4Paths, map[string]string{"a": "R;<G A;BC<R<G D;EF<R G;H<A",
			"b": "R;<G A;BC<R<G D;E<R E;F<D G;H<A", "c": "R;<G A;BC<R<G D;E<R E;F<D G;H<A"}},
	} {
		file := figure4(t, c.paths, c.edges)
		for method, want := range c.want {
			p := decode[partition](t, recrawl(t, "sites", "--history", file, "a.example",
				"--method", method, "--json").ok(t), true)
			if got := short(p, c.paths); got != want || p.Server != "a.example" ||
				p.Method != method || p.Base != 12 || p.Pages != 9 {
				t.Errorf("%s by method %s: %s, want %s; %+v", c.name, method, got, want, p)
			}
		}
	}
}

// TestSitesOrphans has [LINK] figure 3: D is linked only from B, which is no top.
func TestSitesOrphans(t *testing.T) {
	file := linked(t, []string{"/", "/b", "/c", "/d", "/e/e", "/apart"},
		map[string][]string{"/": {"/b", "/c"}, "/b": {"/d"}, "/c": {"/e/e"}})
	p := decode[partition](t, recrawl(t, "sites", "--history", file, "a.example", "--method", "b",
		"--json").ok(t), true)
	if !slices.Equal(p.Orphans, []string{exampleBase + "/d"}) || p.Pages != 5 {
		t.Errorf("%+v", p)
	}
	text := recrawl(t, "sites", "--history", file, "a.example", "--method", "b").ok(t).stdout
	want := `a.example has 5 pages in 2 sites by method b, 1 orphan, week 12.
Left out: 1 page not reached by links from the top page within 11 steps.

● top of a site; below it its members and the sites it is upper to
● /  (3 pages)
├─ /b
├─ /c
└─● /e/e  (1 page)

○ 1 orphan, in no site
└─ /d
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// large returns a history of a start page and directories that link to their members.
func large(t *testing.T, directories, members int) string {
	t.Helper()
	pages := []string{"/"}
	links := map[string][]string{}
	for d := range directories {
		top := fmt.Sprintf("/d%d/", d)
		pages = append(pages, top)
		links["/"] = append(links["/"], top)
		for i := range members {
			url := fmt.Sprintf("%s%d", top, i)
			pages = append(pages, url)
			links[top] = append(links[top], url)
			links[url] = []string{"/", top, fmt.Sprintf("/d%d/", (d+i)%directories)}
		}
	}
	return linked(t, pages, links)
}

// TestSitesOfLargeServers prints a small and a large server: cut, and the same each time.
func TestSitesOfLargeServers(t *testing.T) {
	t.Parallel()
	for _, file := range []string{large(t, 3, 9), large(t, 100, 29)} {
		for _, method := range []string{"a", "c-closure", "server", "prefix", "shape",
			"community"} {
			args := []string{"sites", "--history", file, "a.example", "--method", method}
			first, second := recrawl(t, args...).ok(t).stdout, recrawl(t, args...).ok(t).stdout
			if first != second || strings.Count(first, "\n") > 300 {
				t.Errorf("printed\n%s\nand then\n%s", first, second)
			}
		}
	}
}

// TestSitesOddServers divides valid but unusual servers.
func TestSitesOddServers(t *testing.T) {
	t.Parallel()
	single := linked(t, []string{"/"}, nil)
	if out := recrawl(t, "sites", "--history", single, "a.example", "--method",
		"c").ok(t).stdout; !strings.HasPrefix(out,
		"a.example has 1 page in 1 site by method c, week 12.\n") {
		t.Errorf("a single page:\n%s", out)
	}
	circle := linked(t, []string{"/", "/a/", "/b/"},
		map[string][]string{"/": {"/a/"}, "/a/": {"/b/"}, "/b/": {"/"}})
	p := decode[partition](t, recrawl(t, "sites", "--history", circle, "a.example", "--method", "c",
		"--json").ok(t), true)
	if fmt.Sprint(p.Sites) != "[{[http://a.example/] [] [2]} {[http://a.example/a/] [] [0]} "+
		"{[http://a.example/b/] [] [1]}]" {
		t.Errorf("a circle: %v", p.Sites)
	}
	if out := recrawl(t, "sites", "--history", circle, "a.example", "--method",
		"c").ok(t).stdout; strings.Count(out, "●") != 4 {
		t.Errorf("a circle:\n%s", out)
	}

	pages := []string{"/"}
	links := map[string][]string{}
	for i := range 100_000 {
		url := fmt.Sprintf("/p/%d", i)
		links["/"] = append(links["/"], url)
		if i%10 == 0 {
			pages = append(pages, url)
		}
	}
	r := recrawl(t, "sites", "--history", linked(t, pages, links), "a.example", "--method",
		"b-closure").ok(t)
	if !strings.HasPrefix(r.stdout,
		"a.example has 10001 pages in 10001 sites by method b-closure") {
		t.Errorf("100,000 links:\n%.300s", r.stdout)
	}
}

// TestSitesOfData divides a server that a planner has crawled, and one it does not know.
func TestSitesOfData(t *testing.T) {
	lab := serve(t, library(shelves{servers: 1, sections: 2, pages: 3, days: 1, every: still}))
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	recrawl(t, "run", "--data", data, "--user-agent", contact, "--allow-private", "--delay", "1ms",
		"--rounds", "1", "--unlimited", "--quiet", lab.starts()[0]).ok(t)
	server := strings.TrimPrefix(lab.bases[0], "http://")
	p := decode[partition](t, recrawl(t, "sites", "--data", data, server, "--method", "c-closure",
		"--json").ok(t), true)
	if p.Pages != 2+2*4 || p.Base != 0 || p.Method != "c-closure" || len(p.Sites) != 3 {
		t.Errorf("%+v", p)
	}
	recrawl(t, "sites", "--data", data, "127.0.0.1").refused(t, 2, data, server)
}
