package planner

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// Rules multiply listed weights, and only rules can exclude pages.
func TestListedWeights(t *testing.T) {
	l, err := preferences.ReadListed(strings.NewReader("4 http://a.example/x\n0 " +
		"http://a.example/y\n0 http://a.example/z/1\n"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := preferences.ParseWeights([]string{"http://a.example/z/=0",
		"http://a.example/x=2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		w    *preferences.Weights
		want [4]float64
	}{
		{rules.Times(l), [4]float64{8, preferences.LeastListed, 0, 1}},
		{(*preferences.Weights)(nil).Times(l),
			[4]float64{4, preferences.LeastListed, preferences.LeastListed, 1}},
		{rules.Times(nil), [4]float64{2, 1, 0, 1}},
	} {
		g := sitegraph.NewGraph()
		for _, url := range []string{"http://a.example/x", "http://a.example/y",
			"http://a.example/z/1", "http://a.example/new"} {
			g.Add(url)
		}
		pages := NewPages(g)
		pages.SetWeights(c.w)
		most := 0.
		for p, want := range c.want {
			if got := pages.Weight(sitegraph.PageID(p)); got != want {
				t.Errorf("%s weighs %g, want %g", g.URL(sitegraph.PageID(p)), got, want)
			}
			most = max(most, want)
		}
		if pages.heaviest() < most {
			t.Errorf("the heaviest is %g, but there is %g", pages.heaviest(), most)
		}
	}
}
