package view

import (
	"fmt"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// Of a large server those pages are copied that became known first, or about when a page did, and
// its start pages; of a small one all. What the planner does not know yet is left out.
func TestChosenOf(t *testing.T) {
	g := sitegraph.NewGraph()
	g.AddStart("http://a.example/")
	for i := range 20 { // pages 1, 3, ... are of a, 2, 4, ... of b
		g.Add(fmt.Sprintf("http://a.example/%d", i))
		g.Add(fmt.Sprintf("http://b.example/%d", i))
	}
	id, _ := g.LookupServer("a.example")
	for _, c := range []struct {
		known, most int
		about       sitegraph.PageID
		want        []sitegraph.PageID
	}{
		{41, 3, anyPage, []sitegraph.PageID{0, 1, 3}},
		{41, 4, 21, []sitegraph.PageID{0, 17, 19, 21, 23}},
		{41, 3, 39, []sitegraph.PageID{0, 35, 37, 39}},
		{41, 3, 0, []sitegraph.PageID{0, 1, 3}},
		{6, 4, anyPage, []sitegraph.PageID{0, 1, 3, 5}},
		{2, 4, anyPage, []sitegraph.PageID{0, 1}},
		{0, 4, anyPage, nil},
	} {
		got := chosenOf(g, id, c.known, c.most, c.about)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d of %d known about %d: %v, want %v", c.most, c.known, c.about, got, c.want)
		}
	}
	if all := chosenOf(g, id, 41, 21, anyPage); len(all) != 21 || &all[0] == &g.ServerPages(id)[0] {
		t.Errorf("all: %v", all)
	}
}
