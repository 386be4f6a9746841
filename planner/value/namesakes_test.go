package value

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

func TestAppendWord(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"http://a.example/api/classParser-x.html", "classparser"},
		{"http://a.example/api/parser_8hpp.html", "parser"},
		{"http://a.example/docs/v1.2/Install/", "install"},
		{"http://a.example/docs/install.html?page=install-guide", "install"},
		{"http://a.example/one-two-ten", "one"}, // the first of those of the same length
		{"http://a.example/2024/05/17.html", ""},
		{"http://a.example/x/y-1.html", ""}, // a letter is no word
		{"http://a.example/.well-known", "known"},
		{"http://a.example/", ""},
		{"http://a.example", ""},
		{"/api/Parser.java.html", "parser"},
		{"/a/1-caf%C3%A9%20bar.html", "caf%c3%a9"},
		{"/%E3%83%AB%2F12", "%e3%83%ab"},
		{"/a%", ""},
		{"/%2F%", ""},
		{"http://a.example/" + strings.Repeat("long", 20), strings.Repeat("long", mostWord/4)},
	} {
		if got := string(appendWord(nil, c.url)); got != c.want {
			t.Errorf("%s: %q, want %q", c.url, got, c.want)
		}
	}
}

// Pages of a server with a word in common are in one ring, up to so many; others are alone.
func TestNamesakesAreLinked(t *testing.T) {
	paths := []string{"a/parser.html", "b/Parser-2.html", "c/other.html", "d/1.html", "d/2.html"}
	const many = mostNamesakes + 4
	for i := range many {
		paths = append(paths, fmt.Sprintf("many/%d-summary.html", i))
	}
	h := newHandDrivenOn(t, "value", paths)
	h.begin(1)
	ringOf := func(p sitegraph.PageID) (all []string) {
		for q := h.policy.groups.pages[p].namesake; ; q = h.policy.groups.pages[q].namesake {
			if all = append(all, h.corpus.Graph.URL(q)); q == p {
				return all
			}
		}
	}
	sizes := map[int]int{} // of the rings of pages named summary
	for p := range sitegraph.PageID(h.corpus.Pages()) {
		ring, url := ringOf(p), h.corpus.Graph.URL(p)
		for _, other := range ring {
			if sitegraph.ServerName(other) != sitegraph.ServerName(url) ||
				string(appendWord(nil, other)) != string(appendWord(nil, url)) {
				t.Fatalf("%s is in the ring of %s", other, url)
			}
		}
		switch word := string(appendWord(nil, url)); {
		case word == "summary":
			sizes[len(ring)]++
		case word == "parser" && len(ring) != 2, word != "parser" && len(ring) != 1:
			t.Errorf("ring of %s: %v", url, ring)
		}
	}
	if sizes[mostNamesakes] != 2*mostNamesakes ||
		sizes[many-mostNamesakes] != 2*(many-mostNamesakes) || len(sizes) != 2 {
		t.Errorf("pages by size of their ring: %v", sizes)
	}
}

// Two bytes tell counts exactly up to namesakeVisits, shares after that, and expectations to within
// a fiftieth of the visits, without a bias.
func TestTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var changed, expected float32 // beyond the shares that they were drawn with, in the mean
	const times = 2000
	for range times {
		var got told
		var want counts
		share := rng.Float32()
		for visit := range 40 {
			changed, expected := rng.Float32() < share, share*share*rng.Float32()
			got.see(changed, expected)
			want.visits++
			want.expected += expected
			if changed {
				want.changed++
			}
			is := got.counts()
			if visit < namesakeVisits && (is.visits != want.visits || is.changed != want.changed ||
				abs32(is.expected-want.expected) > 0.02*want.visits) {
				t.Fatalf("%+v, want %+v", is, want)
			}
			if is.visits > namesakeVisits || is.changed > is.visits || is.expected > is.visits {
				t.Fatalf("after %d visits %+v", visit+1, is)
			}
		}
		is := got.counts()
		changed += (is.changed/is.visits - share) / times
		expected += (is.expected/is.visits - share*share/2) / times
	}
	if abs32(changed) > 0.015 || abs32(expected) > 0.015 {
		t.Errorf("%g more changes a visit than were drawn, and %g more expected", changed, expected)
	}
	var once told
	for visit := range 100 {
		once.see(visit == 0, 0.01)
	}
	if is := once.counts(); is.changed > 0 {
		t.Errorf("a change of long ago still counts: %+v", is)
	}
}

// A change that nobody expected makes namesakes likelier that were not visited since, whatever
// their directory, until their own next visit; it does not reach other servers, sweeps and the
// variant without names.
func TestNamesakesAreTold(t *testing.T) {
	paths := []string{"api/parser.html", "src/parser.html", "x/y/parser", "api/other.html"}
	for _, variant := range []string{"value", "value-names", "value-effects", "sweep"} {
		h := newHandDrivenOn(t, variant, paths)
		if variant == "sweep" {
			h.policy = New(Settings{Corpus: h.corpus, Mode: planner.Sweep, Seed: 1})
		}
		page := func(s int, path string) sitegraph.PageID {
			p, ok := h.corpus.Graph.Lookup(fmt.Sprintf("http://s%d.example/%s", s, path))
			if !ok {
				t.Fatalf("no page %s", path)
			}
			return p
		}
		api, src, deep := page(0, paths[0]), page(0, paths[1]), page(0, paths[2])
		byName := func(p sitegraph.PageID) float32 {
			h.policy.trustInNames = effectTrust{} // whatever these visits told
			return h.policy.byName(p, h.policy.groups.pages[p].told)
		}
		h.begin(90)
		h.visit(src, 90, false)
		h.begin(100)
		h.visit(deep, 100, false)
		for _, p := range []sitegraph.PageID{api, src} {
			h.policy.scores[p].raw = 0.01
		}
		h.visit(api, 100, true)
		told := byName(page(0, paths[3])) == 1 && byName(page(1, paths[0])) == 1 &&
			byName(api) < 1.01 && byName(deep) == 1 // visited at the same moment
		if variant != "value" {
			if f := byName(src); f != 1 || !told {
				t.Errorf("%s: a factor of %g", variant, f)
			}
			continue
		}
		if f := byName(src); f != 1 || !told { // most of the days since were before its visit
			t.Errorf("a factor of %g of a page visited since", f)
		}
		h.begin(101)
		h.policy.scores[deep].raw = 0.01
		h.visit(deep, 101, true)
		if f := byName(src); f < 2 {
			t.Errorf("a factor of %g where a namesake changed, want 2 or more", f)
		}
		row := Row{fAge: 5}
		if reason := h.policy.reason(src, &row).String(); !strings.Contains(reason, "its name") {
			t.Errorf("visited because %s", reason)
		}
		showed := byName(src)
		h.policy.Observe(src, sitegraph.VerdictUnknown) // a visit that failed
		if f := byName(src); f != showed {
			t.Errorf("a factor of %g after a visit that failed, %g before", f, showed)
		}
		h.visit(src, 101, true)
		if f := byName(src); f != 1 {
			t.Errorf("a factor of %g after its own visit", f)
		}
		if h.corpus.Memory(src).History.Last != sitegraph.Unix32(simtest.At(101)) {
			t.Error("it was not visited")
		}
	}
}
