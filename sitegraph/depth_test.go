package sitegraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A search over many servers at once finds the depths that one search a server finds.
func TestRefreshTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	deepest, unreached := int8(0), 0
	for range 20 {
		g := NewGraph()
		for i := range 2000 {
			url := fmt.Sprintf("http://h%d.example/%d", i%(1+i%7), i)
			if rng.IntN(100) == 0 {
				g.AddStart(url)
			} else {
				g.Add(url)
			}
		}
		some := func(s ServerID) (pages []PageID) {
			of := g.ServerPages(s)
			for range rng.IntN(3) {
				pages = append(pages, of[rng.IntN(len(of))])
			}
			return pages
		}
		link := func() {
			for p := range PageID(g.Pages()) {
				var frames []PageID
				if rng.IntN(10) == 0 {
					frames = some(g.Server(p))
				}
				g.SetLinkIDs(p, some(g.Server(p)), frames)
			}
		}
		for round := range 2 { // the second changes links
			link()
			one := g.Clone()
			var servers []ServerID
			for s := range ServerID(g.Servers()) {
				if round == 0 || s%2 == 0 {
					servers = append(servers, s)
				} else { // its links stay
					one.refreshServer(s, nil)
					g.refreshServer(s, nil)
				}
			}
			g.refreshTogether(servers)
			one.Refresh()
			if !slices.Equal(g.depth, one.depth) || len(g.Refresh()) > 0 {
				t.Fatal("depths differ, or some servers have none")
			}
			deepest = max(deepest, slices.Max(g.depth))
			for _, depth := range g.depth {
				if depth == 0 {
					unreached++
				}
			}
		}
	}
	if deepest < MaxDepth || unreached == 0 {
		t.Errorf("the deepest page is at %d, and %d were not reached", deepest, unreached)
	}
}
