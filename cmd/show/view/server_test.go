package view

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestChosenOf: of a small server all pages are copied. Of a large server the start pages are, and
// those that became known first or about when a page did. Pages that the planner does not know yet
// are left out.
func TestChosenOf(t *testing.T) {
	g := sitegraph.NewGraph()
	g.AddStart("http://a.example/")
	for i := range 20 { // pages 1, 3, ... are on a; 2, 4, ... on b
		g.Add(fmt.Sprintf("http://a.example/%d", i))
		g.Add(fmt.Sprintf("http://b.example/%d", i))
	}
	id, _ := g.LookupServer("a.example")
	for _, c := range []struct {
		known, most int
		about       sitegraph.PageID
		want        []sitegraph.PageID
		of          int
	}{
		{41, 3, anyPage, []sitegraph.PageID{0, 1, 3}, 21},
		{41, 4, 21, []sitegraph.PageID{0, 17, 19, 21, 23}, 21},
		{41, 3, 39, []sitegraph.PageID{0, 35, 37, 39}, 21},
		{41, 3, 0, []sitegraph.PageID{0, 1, 3}, 21},
		{6, 4, anyPage, []sitegraph.PageID{0, 1, 3, 5}, 4},
		{2, 4, anyPage, []sitegraph.PageID{0, 1}, 2},
		{0, 4, anyPage, nil, 0},
	} {
		got, of := chosenOf(g, id, c.known, c.most, c.about)
		if fmt.Sprint(got) != fmt.Sprint(c.want) || of != c.of {
			t.Errorf("%d of %d known about %d: %v of %d, want %v of %d",
				c.most, c.known, c.about, got, of, c.want, c.of)
		}
	}
	if all, _ := chosenOf(g, id, 41, 21, anyPage); len(all) != 21 ||
		&all[0] == &g.ServerPages(id)[0] {
		t.Errorf("all: %v", all)
	}
}

// TestCopyAboutAPage: a copy of the neighbours of a page does not serve as a copy of the first
// pages. A complete copy serves for everything.
func TestCopyAboutAPage(t *testing.T) {
	d := New(Options{})
	d.Close() // no new copy is possible
	const most = 3
	for _, c := range []struct {
		kept  serverCopy
		about sitegraph.PageID
		want  error
	}{
		{serverCopy{of: 9}, 5, nil},
		{serverCopy{of: 9}, 8, ErrEnded},
		{serverCopy{of: 9}, anyPage, ErrEnded},
		{serverCopy{of: 9, first: true}, anyPage, nil},
		{serverCopy{of: most}, anyPage, nil},
	} {
		c.kept.name, c.kept.at, c.kept.pages = "a.example", time.Now(), []sitegraph.PageID{4, 5, 6}
		d.copies.kept = []*serverCopy{&c.kept}
		if _, err := d.copyOf(t.Context(), "a.example", most, c.about); !errors.Is(err, c.want) {
			t.Errorf("page %d of %+v: error %v, want %v", c.about, c.kept, err, c.want)
		}
	}
}
