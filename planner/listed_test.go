package planner

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

func TestReadListed(t *testing.T) {
	l, err := ReadListed(strings.NewReader("# by hand\n2.5\thttp://A.example/x\n0 http://a.example/y\n\n1\thttp://a.example/z\n3\thttp://a.example/z\n0.5 *\n"))
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]float64{"http://a.example/x": 2.5, "http://a.example/y": 0, "http://a.example/z": 3, "http://a.example/new": 0.5} {
		if got := l.Of(url); got != want {
			t.Errorf("%s weighs %g, want %g", url, got, want)
		}
	}
	if l.Pages() != 3 || (*Listed)(nil).Of("http://a.example/") != 1 {
		t.Errorf("%d pages are listed", l.Pages())
	}
	for _, text := range []string{"http://a.example/", "-1 http://a.example/", "NaN http://a.example/", "2 nowhere", "2", "1e10 *"} {
		if _, err := ReadListed(strings.NewReader("1 *\n" + text)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Rules multiply listed weights, and alone say never.
func TestListedWeights(t *testing.T) {
	l, err := ReadListed(strings.NewReader("4 http://a.example/x\n0 http://a.example/y\n0 http://a.example/z/1\n"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := ParseWeights([]string{"http://a.example/z/=0", "http://a.example/x=2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		w    *Weights
		want [4]float64
	}{
		{rules.Times(l), [4]float64{8, LeastListed, 0, 1}},
		{(*Weights)(nil).Times(l), [4]float64{4, LeastListed, LeastListed, 1}},
		{rules.Times(nil), [4]float64{2, 1, 0, 1}},
	} {
		g := sitegraph.NewGraph()
		for _, url := range []string{"http://a.example/x", "http://a.example/y", "http://a.example/z/1", "http://a.example/new"} {
			g.Add(url)
		}
		corpus := NewCorpus(g)
		corpus.SetWeights(c.w)
		most := 0.
		for p, want := range c.want {
			if got := corpus.Weight(sitegraph.PageID(p)); got != want {
				t.Errorf("%s weighs %g, want %g", g.URL(sitegraph.PageID(p)), got, want)
			}
			most = max(most, want)
		}
		if corpus.heaviest() < most {
			t.Errorf("the heaviest is %g, but there is %g", corpus.heaviest(), most)
		}
	}
}
