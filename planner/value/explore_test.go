package value

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// twoBusy are six servers of which two change and the others do not.
func twoBusy() *simtest.World {
	w := simtest.NewWorld(3, 6, 100, false)
	for _, p := range w.Pages {
		if !strings.HasPrefix(p.URL, "http://s5.") && !strings.HasPrefix(p.URL, "http://s4.") {
			p.Changes = nil
		}
	}
	return w
}

func lookedAt(m *simtest.Sim, visits []planner.Visit) (servers []string) {
	for _, v := range visits {
		if strings.HasPrefix(v.Reason.String(), "a look at a quiet page") {
			servers = append(servers, m.Graph.ServerName(m.Graph.Server(v.Page)))
		}
	}
	return servers
}

func explorer(t *testing.T, o planner.Options) *simtest.Sim {
	return newSim(t, twoBusy(), nil, "value", Settings{Mode: planner.Stream, Seed: 1, PerDay: 20},
		o)
}

// A server of more pages than a look considers is looked at through some of them, others each time,
// till all had their turn.
func TestLooksAtPartOfLarge(t *testing.T) {
	defer func(most int) { mostConsidered = most }(mostConsidered)
	mostConsidered = 10
	m := explorer(t, planner.Options{})
	for day := 1; day <= 40; day++ {
		m.Day(day, 60)
	}
	v := m.Planner.Policy.(*Policy)
	v.price = 1 // by which all pages of a server without changes are quiet
	pages := m.Graph.ServerPages(0)
	seen := map[int]bool{}
	for number := range 400 {
		if p, atRandom := v.probePage(probe{server: 0, number: number}); atRandom &&
			p != sitegraph.NoPage {
			seen[slices.Index(pages, p)%(len(pages)/mostConsidered)] = true
		}
	}
	if len(pages) < 5*mostConsidered || len(seen) != len(pages)/mostConsidered {
		t.Errorf("of %d pages, looks saw those of %d of %d parts",
			len(pages), len(seen), len(pages)/mostConsidered)
	}
}

// Quiet servers are looked at, each of them, and no more than a tenth of the visits goes there;
// also in rounds of few visits, and where the process begins anew each day.
func TestLooks(t *testing.T) {
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	for _, c := range []struct {
		name            string
		budget, restart int
	}{{"a day", 20, 0}, {"few visits", 4, 0}, {"new each day", 20, 1}} {
		m := explorer(t, planner.Options{})
		by, all, visits := map[string]int{}, 0, 0
		for day := 1; day <= 60; day++ {
			if c.restart > 0 && day%c.restart == 0 {
				m.Restart()
			}
			made := m.Day(day, c.budget)
			visits += len(made)
			for _, s := range lookedAt(m, made) {
				by[s]++
				all++
			}
		}
		for s := range 4 {
			if by[fmt.Sprintf("s%d.example", s)] == 0 {
				t.Errorf("%s: s%d was not looked at: %v", c.name, s, by)
			}
		}
		if all > visits/10+1 {
			t.Errorf("%s: %d of %d visits are looks", c.name, all, visits)
		}
	}
}

// After a look that found a change more are made at that server at once, if what it saw did not
// make all its pages likely; and none after one that found none. It is so where outcomes come late,
// and where a page proves likely to have changed once it was chosen for a look.
func TestLooksFollow(t *testing.T) {
	t.Parallel()
	skipLong(t)
	const seeds = 6
	for _, likely := range []bool{false, true} {
		followed := 0
		for _, lag := range []int{0, 4} {
			for seed := range uint64(seeds) {
				if looksFollow(t, seed, lag, likely) {
					followed++
				}
			}
		}
		if followed == 0 { // looksFollow says where some were missing
			t.Errorf("likely %v: looks follow in none of %d worlds", likely, 2*seeds)
		}
	}
}

// looksFollow reports whether looks follow on the day on which a rebuilt server is first visited,
// of a world in which two others change and three never do. Where none follow, what was seen has to
// have made its pages likelier than quiet ones are.
func looksFollow(t *testing.T, seed uint64, lag int, likely bool) bool {
	w := simtest.NewWorld(seed, 6, leastRescored+100, false) // more than are thought of at once
	const rebuilt = 20.5
	for _, p := range w.Pages {
		switch {
		case strings.HasPrefix(p.URL, "http://s0."):
			p.Changes = []float64{rebuilt}
		case !strings.HasPrefix(p.URL, "http://s5.") && !strings.HasPrefix(p.URL, "http://s4."):
			p.Changes = nil
		}
	}
	m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: seed, PerDay: 40},
		planner.Options{})
	m.Lag = lag
	m.OnVisit = func(v planner.Visit) {
		if value := m.Planner.Policy.(*Policy); likely &&
			strings.Contains(v.Reason.String(), "a look at a quiet page") {
			value.scores[v.Page].worth = 1
		}
	}
	for day := 1; day <= 100; day++ {
		found, followed := false, 0
		for _, v := range m.Day(day, 40) {
			s := m.Graph.ServerName(m.Graph.Server(v.Page))
			if strings.Contains(v.Reason.String(), "another one of its server had changed") {
				switch s {
				case "s0.example":
					followed++
				case "s1.example", "s2.example", "s3.example":
					t.Errorf("seed %d, day %d: a look at %s follows, where nothing changes",
						seed, day, s)
				}
			}
			found = found || float64(day) > rebuilt && s == "s0.example"
		}
		if found {
			policy := m.Planner.Policy.(*Policy)
			of, ok := m.Graph.Lookup("http://s0.example/")
			quiet := ok && slices.ContainsFunc(m.Graph.ServerPages(m.Graph.Server(of)),
				policy.isQuiet)
			if followed == 0 && quiet {
				t.Errorf("seed %d, day %d: no look follows, and pages of s0 are quiet", seed, day)
			}
			return followed > 0
		}
		if followed > 0 {
			t.Errorf("seed %d, day %d: %d looks at s0 follow before it changed",
				seed, day, followed)
		}
	}
	t.Errorf("seed %d: s0 was never looked at after it was rebuilt", seed)
	return false
}

// A page that links to many directories is looked at more often than others as near to the start
// page.
func TestLooksAtLists(t *testing.T) {
	t.Parallel()
	skipLong(t)
	const worlds = 6
	looks := map[string]int{}
	for seed := range uint64(worlds) {
		w := twoBusy()
		top := w.Of["http://s0.example/"]
		page := func(path string) *simtest.Page {
			p := w.Add(3, "http://s0.example"+path, false)
			p.Changes = nil
			return p
		}
		list := page("/all.html")
		for i := range 12 {
			list.Children = append(list.Children, page(fmt.Sprintf("/part%c/x.html", 'a'+i)))
			alone := page(fmt.Sprintf("/leaf%c.html", 'a'+i))
			twin := page(fmt.Sprintf("/twin%c.html", 'a'+i)) // more links, all into one directory
			for k := range 24 {
				twin.Children = append(twin.Children,
					page(fmt.Sprintf("/parta/%c%d.html", 'a'+i, k)))
			}
			top.Children = append(top.Children, alone, twin)
		}
		top.Children = append(top.Children, list)
		m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: seed, PerDay: 20},
			planner.Options{})
		for day := 1; day <= 240; day++ {
			for _, v := range m.Day(day, 20) {
				if url := m.Graph.URL(v.Page); strings.HasPrefix(v.Reason.String(),
					"a look at a quiet page") && strings.HasPrefix(url, top.URL) {
					looks[url[len(top.URL):]]++
				}
			}
		}
	}
	list, other := looks["all.html"], ""
	for path, n := range looks {
		// but the start page, ""
		if path != "" && path != "all.html" && (other == "" || n > looks[other]) {
			other = path
		}
	}
	if list < worlds || list <= looks[other] {
		t.Errorf("%d looks at the list in %d worlds, %d at %s; want %d or more, and more",
			list, worlds, looks[other], other, worlds)
	}
}

// Servers of which no page can be visited do not keep others from being looked at.
func TestLooksElsewhere(t *testing.T) {
	var m *simtest.Sim
	blocked := func(p sitegraph.PageID) bool {
		return m != nil && m.Graph.ServerName(m.Graph.Server(p)) < "s3."
	}
	m = explorer(t, planner.Options{Skip: blocked})
	n := 0
	for day := 1; day <= 60; day++ {
		for _, s := range lookedAt(m, m.Day(day, 20)) {
			if s < "s3." {
				t.Fatalf("%s was looked at, though its pages are skipped", s)
			}
			n++
		}
	}
	if n < 10 {
		t.Errorf("%d looks in 60 days", n)
	}
}

// Pages that become known between outcomes, as sources do, are no trouble.
func TestKnownBetweenOutcomes(t *testing.T) {
	m := explorer(t, planner.Options{NewShare: 0.25})
	for day := 1; day <= 20; day++ {
		m.Day(day, 20)
	}
	m.Planner.Begin(planner.Round{Number: 21, Start: simtest.At(20), End: simtest.At(21),
		Budget: 20})
	for s := range 6 {
		p := m.Graph.Add(fmt.Sprintf("http://s%d.example/feed.xml", s))
		m.Corpus.Remember(&sitegraph.Record{Page: p, URL: m.Graph.URL(p),
			State: sitegraph.StateSource, Due: simtest.At(21)})
		m.Planner.FoundSource(p)
	}
	if _, ok := m.Planner.Next(); !ok {
		t.Error("no visit")
	}
}

// New pages are counted for the page whose links brought them, and not for one whose outcome comes
// after a sitemap.
func TestFoundBy(t *testing.T) {
	m := explorer(t, planner.Options{})
	m.Day(1, 20)
	v := m.Planner.Policy.(*Policy)
	m.Planner.Begin(planner.Round{Number: 2, Start: simtest.At(1), End: simtest.At(2), Budget: 20})
	add := func(server string, n int) {
		for i := range n {
			p := m.Graph.Add(fmt.Sprintf("http://%s/new/%d", server, i))
			m.Corpus.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateNew})
			m.Planner.Found(p)
			m.Planner.Found(p) // linked twice
		}
	}
	changed := func(url string) sitegraph.ServerID {
		p, _ := m.Graph.Lookup(url)
		r := sitegraph.Record{Page: p, State: sitegraph.StateAlive, Tried: simtest.At(2),
			History: m.Corpus.Memory(p).History}
		r.History.See(simtest.At(2), true, time.Time{})
		m.Planner.Observe(&r, sitegraph.VerdictChanged)
		m.Planner.Due(p, simtest.At(2))
		return m.Graph.Server(p)
	}
	source := m.Graph.Add("http://s0.example/sitemap.xml")
	m.Planner.Observe(&sitegraph.Record{Page: source, State: sitegraph.StateSource},
		sitegraph.VerdictChanged)
	add("s0.example", 15) // by the sitemap
	m.Planner.Due(source, simtest.At(2))
	if s := changed("http://s1.example/"); v.groups.servers[s].found != 0 {
		t.Errorf("pages of a sitemap count %g for a page of another server",
			v.groups.servers[s].found)
	}
	add("s2.example", 7)
	if s := changed("http://s2.example/"); v.groups.servers[s].found != 7 {
		t.Errorf("a page that brought 7 counts for %g", v.groups.servers[s].found)
	}
}

// Many goroutines score what one does.
func TestWeighAtOnce(t *testing.T) {
	defer func(n int) { fewPages = n }(fewPages)
	run := func(few int) (all []string) {
		fewPages = few
		m := newSim(t, simtest.NewWorld(5, 8, 150, true), nil, "value",
			Settings{Mode: planner.Stream, Seed: 5, PerDay: 30}, planner.Options{NewShare: 0.25})
		for day := 1; day <= 15; day++ {
			all = append(all, m.URLs(m.Day(day, 30))...)
		}
		return all
	}
	if alone, together := run(1_000_000), run(10); !slices.Equal(alone, together) {
		t.Error("other visits")
	}
}

// A sweep begins with looks at each server, the more the larger it is, each at another page,
// whether pages have a past or not; one that is denied exploration begins with none.
func TestSweepBeginsWithLooks(t *testing.T) {
	skipLong(t)
	for _, c := range []struct {
		policy string
		days   int // of the past
		looks  bool
	}{{"value", 30, true}, {"value", 0, true}, {"value-exploration", 30, false}} {
		m := newSim(t, twoBusy(), nil, "uniform",
			Settings{Mode: planner.Stream, Seed: 3, PerDay: 100}, planner.Options{})
		for day := 1; day <= c.days; day++ {
			m.Day(day, 100)
		}
		m.Make = maker(c.policy, Settings{Mode: planner.Sweep, Seed: 3})
		m.Restart()
		looks, last := map[sitegraph.ServerID]int{}, 0
		for i, v := range m.Day(c.days+1, 200) {
			if strings.HasPrefix(v.Reason.String(), "one of the looks") {
				looks[m.Graph.Server(v.Page)]++
				last = i + 1
			}
		}
		all := 0
		for s := range sitegraph.ServerID(m.Graph.Servers()) {
			want := 0
			if c.looks {
				want = int(math.Ceil(math.Sqrt(float64(len(m.Graph.ServerPages(s)))) / 10))
			}
			if looks[s] != want {
				t.Errorf("%s after %d days: %d looks at %s, want %d",
					c.policy, c.days, looks[s], m.Graph.ServerName(s), want)
			}
			all += want
		}
		if last != all {
			t.Errorf("%s after %d days: the last look is visit %d, want %d",
				c.policy, c.days, last, all)
		}
	}
}
