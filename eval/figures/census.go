package figures

import (
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// census counts servers and pages at the base.
func (f *Figures) census(c *eval.Dataset) {
	g := c.Graph()
	f.Histories, f.Pages, f.Without = len(c.World.Servers), len(c.Pages), []string{}
	has := map[string]bool{}
	for _, page := range c.Pages {
		has[g.ServerName(g.Server(page))] = true
	}
	for _, s := range c.World.Servers {
		if !has[s.Name] {
			f.Without = append(f.Without, s.Name)
		}
	}
	f.Servers = len(has)
	slices.Sort(f.Without)
}

// emptied are the servers that had pages at the base and have none left.
func (p *counted) emptied(c *eval.Dataset) []string {
	g := c.Graph()
	empty := make([]bool, g.Servers())
	for _, page := range c.Pages {
		s := g.Server(page)
		empty[s] = p.methods[Whole][s].Pages == 0
	}
	names := []string{}
	for s, is := range empty {
		if is {
			names = append(names, g.ServerName(sitegraph.ServerID(s)))
		}
	}
	slices.Sort(names)
	return names
}

// unreached tells whether there is a page at the base that no link leads to.
func (f *Figures) unreached(c *eval.Dataset) bool {
	alive := 0
	for _, s := range c.World.Servers {
		base := c.Base.Unix() + s.T0 - history.WorldEpoch.Unix()
		for _, page := range s.Pages {
			if page.At(base).Alive() {
				alive++
			}
		}
	}
	return alive > len(c.Pages)
}
