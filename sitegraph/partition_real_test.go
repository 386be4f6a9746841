package sitegraph_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// realHistories is outside the module: its files are too large.
var realHistories = filepath.Join("..", "..", "shared", "data", "histories")

// On recorded servers, each page is in one site, and the number of sites is about the square root
// of the number of pages. The sites do not depend on the order of pages and links.
func TestRealPartitions(t *testing.T) {
	for _, name := range []string{"aakinshin.net", "kudu.apache.org", "www.linjingc.top",
		"www.srcf.net", "lucene.apache.org"} {
		file := filepath.Join(realHistories, name+".jsonl.gz")
		if _, err := os.Stat(file); err != nil {
			t.Skipf("the recorded histories are not there: %v", err)
		}
		servers, err := history.ReadFiles(context.Background(), []string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		forwards, backwards := realGraph(servers[0], false), realGraph(servers[0], true)
		for _, method := range []string{"server", "prefix", "shape", "community"} {
			p, _ := forwards.Partition(method, 0, nil)
			q, _ := backwards.Partition(method, 0, nil)
			pages := checkReal(t, forwards, p, backwards, q)
			if n := len(p.Sites); n*n > 4*pages+16 {
				t.Errorf("%s by %s: %d sites of %d pages", name, method, n, pages)
			}
		}
	}
}

// realGraph returns a server after half a year. If reverse is set, it adds pages and links in
// reverse.
func realGraph(s *history.Server, reverse bool) *sitegraph.Graph {
	const halfYear = 182 * 24 * 3600
	g := sitegraph.NewGraph()
	at := func(i, n int) int {
		if reverse {
			return n - 1 - i
		}
		return i
	}
	for i := range s.Pages {
		page := s.Pages[at(i, len(s.Pages))]
		v := page.At(s.T0 + halfYear)
		if v == nil || !v.Alive() {
			continue
		}
		var links []string
		for k := range v.Links {
			links = append(links, v.Links[at(k, len(v.Links))])
		}
		g.SetLinks(g.Add(page.URL), links, nil)
	}
	g.AddStart("http://" + s.Name + "/")
	g.Refresh()
	return g
}

// checkReal compares the partitions of one server in two graphs, and returns its number of pages.
func checkReal(t *testing.T, g *sitegraph.Graph, p sitegraph.Partition, h *sitegraph.Graph,
	q sitegraph.Partition) (pages int) {
	t.Helper()
	site := map[string]int{} // in q, by address
	for i, s := range q.Sites {
		for _, page := range append(append([]sitegraph.PageID{}, s.Tops...), s.Members...) {
			site[h.URL(page)] = i
		}
	}
	for _, s := range p.Sites {
		all := append(append([]sitegraph.PageID{}, s.Tops...), s.Members...)
		other := q.Sites[site[g.URL(all[0])]]
		if len(other.Tops) != len(s.Tops) || len(other.Members) != len(s.Members) ||
			h.URL(other.Tops[0]) != g.URL(s.Tops[0]) {
			t.Errorf("%s: site of %s is another in another order", p.Method, g.URL(s.Tops[0]))
		}
		for _, page := range all {
			if i, ok := site[g.URL(page)]; !ok || i != site[g.URL(all[0])] {
				t.Errorf("%s: %s is in another site in another order", p.Method, g.URL(page))
			}
			pages++
		}
	}
	reached := 0
	for _, page := range g.ServerPages(p.Server) {
		if g.Depth(page) > 0 {
			reached++
		}
	}
	if pages != reached {
		t.Errorf("%s: %d pages in sites, %d reached", p.Method, pages, reached)
	}
	return pages
}
