package planner

import (
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Doubtful pages wait in their order, before pages found later, and are counted meanwhile.
func TestDoubtfulInLine(t *testing.T) {
	c := NewPages(sitegraph.NewGraph())
	f := frontier{pages: c}
	add := func(names ...string) {
		for _, name := range names {
			p := c.Graph.AddStart("http://s0.example/" + name)
			c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateNew})
			f.add(p)
		}
	}
	next := func(doubt bool) (name string) {
		v, ok := f.next(true)
		if !ok {
			return ""
		}
		if doubt {
			f.doubt(v.Page)
		}
		return strings.TrimPrefix(c.Graph.URL(v.Page), "http://s0.example/")
	}
	day, start := 0, time.Date(2004, 3, 1, 0, 0, 0, 0, time.UTC)
	begin := func() {
		day++
		c.Begin(Round{Number: day, Start: start.AddDate(0, 0, day-1),
			End: start.AddDate(0, 0, day)})
		f.begin()
	}
	wait := func(want int) {
		t.Helper()
		if f.len() != want {
			t.Errorf("%d pages wait, want %d", f.len(), want)
		}
	}
	begin()
	add("a", "b", "c", "d")
	line := next(true) + next(true)
	wait(4)
	begin()
	add("e")
	wait(5)
	line += " " + next(true) + next(false)
	wait(4)
	begin()
	wait(4)
	line += " " + next(true) + next(true) + next(true)
	f.recall()
	wait(4)
	line += " " + next(false) + next(false) + next(false) + next(false) + next(false)
	wait(0)
	if want := "ab ab acd eacd"; line != want {
		t.Errorf("in line %q, want %q", line, want)
	}
}
