package survey

import (
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// countOthers counts the pages that are in no share: unlinked ones at the base, and those
// new at the last snapshot of each period.
func countOthers(c *eval.Dataset, s *history.Server, g *Group) {
	base := c.Base.Unix() + s.T0 - history.WorldEpoch.Unix()
	for _, page := range s.Pages {
		if !page.At(base).Alive() {
			continue
		}
		if id, ok := c.Graph().Lookup(page.URL); !ok || !c.IsBase(id) {
			g.Unlinked++
		}
	}
	for i := range g.Periods {
		p := &g.Periods[i]
		t := base + int64(p.Weeks-1)*weekSeconds
		graph := linksAt(c, s, t)
		for _, page := range s.Pages {
			if !page.At(t).Alive() || page.At(base).Alive() {
				continue
			}
			if id, ok := graph.Lookup(page.URL); ok && graph.Depth(id) > 0 {
				p.New++
			}
		}
	}
}

// linksAt is the graph of a server as it stands at t (its own seconds), entered where the
// base is: what a crawl of that snapshot would find.
func linksAt(c *eval.Dataset, s *history.Server, t int64) *sitegraph.Graph {
	graph := sitegraph.NewGraph()
	if id, ok := c.Graph().LookupServer(s.Name); ok {
		for _, p := range c.Graph().StartPages(id) {
			graph.AddStart(c.Graph().URL(p))
		}
	}
	for _, page := range s.Pages {
		switch v := page.At(t); {
		case v.Alive():
			graph.SetLinks(graph.Add(page.URL), v.Links, v.Frames)
		case v != nil && v.Redirect != "":
			// A redirect is the only link of its address, as in the loop.
			graph.SetLinks(graph.Add(page.URL), []string{v.Redirect}, nil)
		}
	}
	graph.Refresh()
	return graph
}
