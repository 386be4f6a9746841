package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

// web is a synthetic web with stationary change: sessions, rebuilds, births and deaths.
var web = sync.OnceValues(func() ([]*history.Server, error) {
	return timetravel.Histories(context.Background(),
		synth.New(synth.Options{Seed: 5, Servers: 30, Pages: 1500}),
		timetravel.HistoryOptions{Agent: "recrawl"})
})

func synthetic(t *testing.T) []*history.Server {
	t.Helper()
	servers, err := web()
	if err != nil {
		t.Fatal(err)
	}
	return servers
}

func learn(t *testing.T, servers []*history.Server, weeks int) *Model {
	t.Helper()
	m, err := Learn(servers, weeks)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cut returns histories as they were after some weeks.
func cut(servers []*history.Server, weeks int) []*history.Server {
	var all []*history.Server
	for _, s := range servers {
		end := s.T0 + int64(weeks)*weekSeconds
		var pages []*history.Page
		for _, p := range s.Pages {
			if n := slices.IndexFunc(p.Versions, func(v history.Version) bool {
				return v.T >= end
			}); n < 0 {
				pages = append(pages, p)
			} else if n > 0 {
				pages = append(pages, &history.Page{URL: p.URL, Versions: p.Versions[:n]})
			}
		}
		all = append(all, history.NewServer(s.Name, s.T0, pages))
	}
	return all
}

// flat returns the part of a history to compare.
func flat(s *history.Server) (all []history.Page) {
	for _, p := range s.Pages {
		all = append(all, *p)
	}
	return all
}

// TestFuture checks that a future begins with the known past, does not depend on later weeks, other
// servers or their order, and is the same each time. Another number gives another future.
func TestFuture(t *testing.T) {
	const known, weeks = 20, 25
	servers := synthetic(t)
	want := learn(t, servers, known).Future(1, 0, weeks)
	again := learn(t, cut(servers, known), known).Future(1, 0, weeks)
	backwards := slices.Clone(servers)
	slices.Reverse(backwards)
	reversed := learn(t, backwards, known).Future(1, 0, weeks)
	other := learn(t, servers, known).Future(1, 1, weeks)
	differ := 0
	for s, server := range want {
		if !reflect.DeepEqual(flat(server), flat(again[s])) {
			t.Errorf("%s: weeks after the base changed what is drawn", server.Name)
		}
		if !reflect.DeepEqual(flat(server), flat(reversed[len(want)-1-s])) {
			t.Errorf("%s: the order of the servers changed what is drawn", server.Name)
		}
		if !reflect.DeepEqual(flat(server), flat(other[s])) {
			differ++
		}
		past := cut(want, known)[s]
		if !reflect.DeepEqual(flat(past), flat(cut(servers, known)[s])) {
			t.Errorf("%s: the known past is not as it was", server.Name)
		}
		checkServer(t, server)
	}
	if differ < len(want)/2 {
		t.Errorf("of %d servers only %d differ between two futures", len(want), differ)
	}
}

// checkServer checks the guarantees of a history.
func checkServer(t *testing.T, s *history.Server) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range s.Pages {
		if seen[p.URL] {
			t.Errorf("%s stands twice in %s", p.URL, s.Name)
		}
		seen[p.URL] = true
		if sitegraph.ServerName(p.URL) != s.Name {
			t.Errorf("%s is not of %s", p.URL, s.Name)
		}
		for i := range p.Versions[1:] {
			a, b := &p.Versions[i], &p.Versions[i+1]
			if b.T <= a.T || a.Alive() && b.Alive() && a.Digests.Bytes == b.Digests.Bytes &&
				len(a.Links) == len(b.Links) {
				t.Errorf("%s: version %d at %d follows one at %d", p.URL, i+1, b.T, a.T)
			}
		}
	}
}

// TestAsMuchHappens checks that each round through the known weeks has as many events as these. A
// few are lost: turns of one page at one time merge, and a shape may have died out.
func TestAsMuchHappens(t *testing.T) {
	const known = 20
	servers := synthetic(t)
	m := learn(t, servers, known)
	count := func(servers []*history.Server, from, to int) (n [4]int) {
		for _, s := range servers {
			for _, p := range s.Pages {
				var last *history.Version
				lived := false
				for i := range p.Versions {
					v := &p.Versions[i]
					w := int((v.T - s.T0) / weekSeconds)
					if what, ok := turned(last, v, lived); ok && v.T > s.T0 && from <= w && w < to {
						n[what]++
					}
					last, lived = v, lived || v.Alive()
				}
			}
		}
		return n
	}
	past := count(servers, 0, known)
	future := m.Future(3, 0, 2*known)
	for round := 1; round <= 2; round++ {
		got := count(future, round*known, (round+1)*known)
		for _, w := range []what{changed, born, died} {
			if past[w] < 10 {
				t.Fatalf("only %d turns of kind %d in the known past: the test tells nothing",
					past[w], w)
			}
			if off := math.Abs(float64(got[w])/float64(past[w]) - 1); off > 0.06 {
				t.Errorf("round %d: %d turns of kind %d, %d were known", round, got[w], w, past[w])
			}
		}
	}
}

func predict(t *testing.T, source Source, o Options, budgets []float64) (*Forecast, []Point) {
	t.Helper()
	f, err := New(t.Context(), source, o, func() {})
	if err != nil {
		t.Fatal(err)
	}
	points, err := f.Curve(t.Context(), budgets, budget.Limits{}, func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	return f, points
}

// TestPredictionHolds checks that with stationary change the measurement of a replay is within a
// tenth of the prediction, or in its spread if a few changes decide. A second prediction is equal.
func TestPredictionHolds(t *testing.T) {
	t.Parallel()
	servers := synthetic(t)
	o := Options{Policy: "ebayes", Base: 30, Weeks: 30, New: 0.25, Futures: 3, Seed: 1}
	budgets := []float64{0.01, 0.02, 0.05, 0.1}
	f, points := predict(t, learn(t, servers, o.Base), o, budgets)
	_, again := predict(t, learn(t, servers, o.Base), o, budgets)
	if !reflect.DeepEqual(points, again) {
		t.Error("a second prediction differs")
	}
	check, err := f.Check(t.Context(), servers, points, budget.Limits{}, func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if !check.PerDay.Inside {
		t.Errorf("changes a day: predicted %+v, measured %.4g",
			check.PerDay.Predicted, check.PerDay.Measured)
	}
	for i, p := range check.Points {
		for _, m := range Measures {
			c := p.Measure(m)
			t.Logf("%g %s: %.3f (%.3f to %.3f), measured %.3f, %+.1f %%",
				p.Budget, m, c.Predicted.Value, c.Predicted.Low, c.Predicted.High, c.Measured,
				100*c.Error)
			if math.Abs(float64(c.Error)) > 0.1 && !c.Inside {
				t.Errorf("budget %g: %s predicted %+v, measured %.3f",
					p.Budget, m, c.Predicted, c.Measured)
			}
			if !(c.Predicted.Low <= c.Predicted.High) {
				t.Errorf("budget %g: %s has the spread %v to %v",
					p.Budget, m, c.Predicted.Low, c.Predicted.High)
			}
		}
		if i > 0 && (points[i].Coverage.Value <= points[i-1].Coverage.Value ||
			points[i].UpdateRate.Value >= points[i-1].UpdateRate.Value) {
			t.Errorf(
				"from budget %g to %g coverage does not rise, or the update rate does not fall",
				points[i-1].Budget, points[i].Budget)
		}
	}
}

// poissonWeb returns servers of pages with known rates from start to the end of the window. Each
// start page links to all others. One seed draws the rates, another the changes.
func poissonWeb(rates, happens uint64, servers, pages int) []*history.Server {
	r := rand.New(rand.NewPCG(rates, 1))
	var all []*history.Server
	for s := range servers {
		name := fmt.Sprintf("s%d.example", s)
		d := drawn{rng: rand.New(rand.NewPCG(happens, uint64(s))), salt: happens + 1}
		steady := make([]float64, 60)
		for w := range steady {
			steady[w] = 1
		}
		own := 0.02 * math.Exp(r.NormFloat64())
		var links []string
		for p := range pages {
			links = append(links, fmt.Sprintf("http://%s/d%d/p%d.html", name, p%5, p))
		}
		list := []*history.Page{{URL: "http://" + name + "/", Versions: d.versions(0, nil, links)}}
		for _, url := range links {
			list = append(list, &history.Page{URL: url,
				Versions: d.versions(own*math.Exp(r.NormFloat64()), steady, nil)})
		}
		all = append(all, history.NewServer(name, history.WorldEpoch.Unix(), list))
	}
	return all
}

// visited returns what weekly visits to histories saw.
func visited(servers []*history.Server, weeks int) (pages []Visited) {
	world := history.NewWorld(servers)
	for _, s := range servers {
		for _, p := range s.Pages {
			r := sitegraph.Record{URL: p.URL}
			for w := range weeks {
				r.Apply(world.Observe(p.URL, history.WorldEpoch.AddDate(0, 0, 7*w)),
					sitegraph.ChangeByBytes)
			}
			pages = append(pages, Visited{URL: p.URL, History: r.History})
		}
	}
	return pages
}

// TestVisitsForetell predicts from visits alone. The measurement on another run of the same web is
// within a tenth.
func TestVisitsForetell(t *testing.T) {
	t.Parallel()
	const servers, pages = 10, 100
	visits, err := LearnVisits(visited(poissonWeb(1, 1, servers, pages), 40))
	if err != nil {
		t.Fatal(err)
	}
	if visits.Added() != 0 || visits.Pages() != servers*(pages+1) {
		t.Errorf("%d start pages added to %d pages", visits.Added(), visits.Pages())
	}
	if visits.frailty > 0.05 {
		t.Errorf("frailty %.3g where pages change independently", visits.frailty)
	}
	o := Options{Policy: "ebayes", Base: InformedWeeks, History: InformedWeeks, Weeks: 30,
		New: 0.25, Futures: 3, Seed: 1}
	f, points := predict(t, visits, o, []float64{0.01, 0.02, 0.05, 0.1})
	check, err := f.Check(t.Context(), poissonWeb(1, 2, servers, pages), points, budget.Limits{},
		func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range check.Points {
		for _, m := range Measures {
			if c := p.Measure(m); math.Abs(float64(c.Error)) > 0.1 {
				t.Errorf("budget %g: %s predicted %+v, measured %.3f",
					p.Budget, m, c.Predicted, c.Measured)
			}
		}
	}
}

// TestFrailty has pages that change together, all or none in a week: with share q of busy weeks the
// variance of the frailty is (1-q)/q. Here a week in four is busy: 3.
func TestFrailty(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var pages []Visited
	for s := range 40 {
		var busy [32]bool
		for w := range busy {
			busy[w] = rng.Float64() < 0.25
		}
		for p := range 50 {
			h := sitegraph.Start(history.WorldEpoch)
			for w, b := range busy {
				h.See(history.WorldEpoch.AddDate(0, 0, 7*(w+1)), b, history.WorldEpoch)
			}
			pages = append(pages, Visited{URL: fmt.Sprintf("http://s%d.example/%d", s, p),
				History: h})
		}
	}
	visits, err := LearnVisits(pages)
	if err != nil {
		t.Fatal(err)
	}
	if visits.frailty < 2 || visits.frailty > 4 {
		t.Errorf("frailty %.3g, want about 3", visits.frailty)
	}
	if visits.Added() != 40 {
		t.Errorf("%d start pages added, want 40", visits.Added())
	}
}

func TestLearnRefuses(t *testing.T) {
	if _, err := Learn(nil, 0); err == nil {
		t.Error("a past of no week was taken")
	}
	once := []Visited{{URL: "http://a.example/", History: sitegraph.Start(history.WorldEpoch)},
		{URL: "http://a.example/b"}}
	for _, pages := range [][]Visited{nil, once} {
		if _, err := LearnVisits(pages); err == nil {
			t.Errorf("%d pages of which none was visited twice were taken", len(pages))
		}
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"http://a.example/", "http://a.example/~2"},
		{"http://a.example/news", "http://a.example/news~2"},
		{"http://a.example/2024/post.html", "http://a.example/2024/post~2.html"},
		{"http://a.example:8080/v1.2/post/", "http://a.example:8080/v1.2/post~2/"},
		{"http://a.example/p?id=1/2", "http://a.example/p~2?id=1/2"},
		{"http://a.example/taken", "http://a.example/taken~3"},
	} {
		f := &future{names: map[string]int{},
			byURL: map[string]int32{"http://a.example/taken~2": 0}}
		got := f.address(c.url)
		if canonical, err := sitegraph.Canonical(got); got != c.want || err != nil ||
			canonical != got {
			t.Errorf("address of one like %s is %s (canonical: %s, %v), want %s",
				c.url, got, canonical, err, c.want)
		}
		if second := f.address(c.url); second == got {
			t.Errorf("%s was given twice", got)
		}
	}
}
