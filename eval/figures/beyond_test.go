package figures

import (
	"math"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
)

// posts is a server whose pages each have a directory of their own, as a blog has: in week 14
// all posts change with their index, or nothing does. Method A must look at each.
func posts(name string, changes bool) []life {
	var when []int
	if changes {
		when = []int{14}
	}
	all := []life{{path: "/", links: []string{"/posts/"}}, {path: "/posts/", changes: when},
		{path: "/about/"}, {path: "/help/"}}
	all[0].links = append(all[0].links, "/about/", "/help/")
	for _, slug := range []string{"ape", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis",
		"jay"} {
		path := "/posts/" + slug + "/"
		all[1].links = append(all[1].links, path)
		all = append(all, life{path: path, changes: when})
	}
	return all
}

// Where directories hold one page each, sites by path prefix find the changed server from its
// posts' index and spare the others.
func TestBeyondDirectories(t *testing.T) {
	c := corpusOf(t, 12, server("a.example", posts("a", true)...),
		server("b.example", posts("b", false)...),
		server("c.example", posts("c", false)...))
	f := figuresOf(t, c, Options{Weeks: []int{4}})
	if len(f.Beyond) != 1 || len(f.Beyond[0].Servers) != 1 {
		t.Fatalf("periods %d, servers %+v; want one, and the server where some pages changed",
			len(f.Beyond), f.Beyond[0].Servers)
	}
	b := f.Beyond[0]
	of := map[string]Own{}
	for _, m := range b.Methods {
		of[m.Policy] = m
	}
	a, prefix := of["a"], of["prefix"]
	if a.Fetched != 42 || a.ChangedFetched != 11 {
		t.Errorf("a fetched %d pages, %d changed; want all 42, 11 changed",
			a.Fetched, a.ChangedFetched)
	}
	// 14 pages a server: sites of 4 and more are posts (11 pages, top /posts/) and the rest (top
	// /).
	if prefix.Fetched != 3*2+10 || prefix.ChangedFetched != 11 {
		t.Errorf("prefix fetched %d pages, %d changed; want 16: two tops a server, and ten posts",
			prefix.Fetched, prefix.ChangedFetched)
	}
	row := b.Servers[0]
	if row.Server != "a.example" || row.Pages != 14 || row.Changed != 11 {
		t.Errorf("%+v, want a.example with 14 pages, 11 changed", row)
	}
	for policy, m := range of {
		if row.Gains[policy] != m.GainInServers {
			t.Errorf("%s: gain %v on the only server, mean %v",
				policy, row.Gains[policy], m.GainInServers)
		}
		if m.Better+m.Even+m.Worse != 1 {
			t.Errorf("%s: better, even, worse on %d, %d, %d servers, want one in all",
				policy, m.Better, m.Even, m.Worse)
		}
	}
	if prefix.Gain <= a.Gain {
		t.Errorf("gain %v of prefix, %v of a; want more", prefix.Gain, a.Gain)
	}
}

// On random servers: figures equal those of the snapshot protocol, no method of A to C is
// better than the best of them, and the rival differs from itself by nothing.
func TestBeyondAsSnapshot(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(5) {
		c, err := eval.NewDataset(t.Context(), randomServers(seed),
			eval.Options{Base: 12 * week, History: 8})
		if err != nil {
			t.Fatal(err)
		}
		f := figuresOf(t, c, Options{Weeks: []int{2, 8}, Seed: seed})
		if f.History != 8 {
			t.Errorf("%s: history %d, want 8", repeat(t, seed), f.History)
		}
		for _, b := range f.Beyond {
			for i, r := range snapshot(t, c, eval.SnapshotOptions{Weeks: b.Weeks, Seed: seed},
				policiesOf(b)...).Results {
				m := b.Methods[i]
				if m.Fetched != r.Fetched || m.ChangedFetched != r.ChangedFetched ||
					!equal(m.Gain, r.Gain) || !equal(m.GainInServers, r.GainInServers) {
					t.Errorf("%s: %s: %+v, snapshot %+v", repeat(t, seed), m.Policy, m, r)
				}
				if i < len(SitePolicies) && m.Better > 0 {
					t.Errorf("%s: %s is better than the best of A to C on %d servers",
						repeat(t, seed), m.Policy, m.Better)
				}
				if m.Policy == b.Rival && len(b.Servers) > 0 && m.Difference != [2]eval.Number{} {
					t.Errorf("%s: the rival %s differs from itself by %v",
						repeat(t, seed), m.Policy, m.Difference)
				}
				if m.Better+m.Even+m.Worse != len(b.Servers) {
					t.Errorf("%s: %s is judged on %d servers of %d",
						repeat(t, seed), m.Policy, m.Better+m.Even+m.Worse, len(b.Servers))
				}
			}
		}
	}
}

func policiesOf(b Beyond) (all []string) {
	for _, m := range b.Methods {
		all = append(all, m.Policy)
	}
	return all
}

func equal(a, b eval.Number) bool {
	return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b))
}

// The gain of a corpus is found from the path of a sweep: as the sweep has it, and for a server
// drawn twice by hand.
func TestGainOfPath(t *testing.T) {
	for _, seed := range seeds(4) {
		c := corpusOf(t, 1, randomServers(seed)...)
		periods, err := count(t.Context(), c, Options{Weeks: []int{5}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		p := periods[0]
		for policy, sweep := range p.orders {
			got, want := p.gain(pathOf(sweep))(p.once()), float64(sweep.Result.Gain)
			if math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s gains %v, by its path %v; %s", policy, want, got, repeat(t, seed))
			}
			got, want = meanOver(sweep.GainByServer())(p.once()),
				float64(sweep.Result.GainInServers)
			if math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s gains %v in servers, by the mean %v; %s",
					policy, want, got, repeat(t, seed))
			}
		}
	}
	// Server 0: a changed page and one that did not change, both visited. Server 1: a page that
	// did not. Drawn 2 and 1 times: 5 pages, 2 changed, found with the first two visits.
	p := &counted{methods: map[string]tallies{Whole: {{Pages: 2, Changed: 1}, {Pages: 1}}}}
	l := path{{server: 0, visits: 2, found: 1, area: 0.5 + 1}, {server: 1, visits: 1}}
	if got := p.gain(l)([]int{2, 1}); math.Abs(got-1) > 1e-12 {
		t.Errorf("all changed pages first gain %v, want 1", got)
	}
	if got := p.gain(l)([]int{0, 3}); !math.IsNaN(got) {
		t.Errorf("where nothing changes the gain is %v", got)
	}
	// The other way round nothing is found by the first visit of five: area 0 + 2*(2/2) + 2*2 of
	// 10.
	l = path{l[1], l[0]}
	if got, want := p.gain(l)([]int{2, 1}), (6./10-0.5)/(1-2./10-0.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("gain %v, want %v", got, want)
	}
}

// The past that is shown is for the methods that learn alone.
func TestPastChangesBeyondAlone(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(4) {
		var shown [2]Figures
		for i, past := range []int{0, 6} {
			c, err := eval.NewDataset(t.Context(), randomServers(seed),
				eval.Options{Base: 6 * week, History: past})
			if err != nil {
				t.Fatal(err)
			}
			f := figuresOf(t, c, Options{Weeks: []int{2, 4, 8}, Seed: seed})
			if all := asText(t, f); strings.Contains(all,
				"6 weekly states before the base") != (past == 6) ||
				strings.Contains(all, "none: auto is prefix then") != (past == 0) {
				t.Errorf("%s: the text does not tell of %d states", repeat(t, seed), past)
			}
			for k := range f.Beyond {
				f.Beyond[k] = Beyond{Weeks: f.Beyond[k].Weeks, Rival: f.Beyond[k].Rival,
					Methods: f.Beyond[k].Methods[:len(SitePolicies)]}
			}
			shown[i] = *f
			shown[i].History = 0
		}
		if a, b := asJSON(t, shown[0]), asJSON(t, shown[1]); a != b {
			t.Errorf("%s: with a past\n%s\nwithout\n%s", repeat(t, seed), b, a)
		}
	}
}
