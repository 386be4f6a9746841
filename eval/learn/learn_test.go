package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/value"
	"github.com/recrawl/recrawl/sitegraph"
)

const weekSeconds = 7 * 86400

// newsSites are servers of which the pages below /news/ change each week and no others do.
func newsSites(servers int) (all []*history.Server) {
	for s := range servers {
		top := fmt.Sprintf("http://s%d.example/", s)
		const from = 1_700_000_000
		var links []string
		for i := range 6 {
			links = append(links, fmt.Sprintf("%snews/%d.html", top, i),
				fmt.Sprintf("%sabout/p%d.html", top, i))
		}
		var pages []*history.Page
		for _, url := range append([]string{top}, links...) {
			p := &history.Page{URL: url}
			versions := 1
			if strings.Contains(url, "/news/") {
				versions = 60
			}
			for v := range versions {
				digest := sitegraph.DigestOf(fmt.Appendf(nil, "%s %d", url, v))
				p.Versions = append(p.Versions, history.Version{T: from + int64(v)*weekSeconds,
					Digests: sitegraph.Digests{Bytes: digest}, Links: links, LinksKnown: true})
			}
			pages = append(pages, p)
		}
		all = append(all, history.NewServer(fmt.Sprintf("s%d.example", s), from, pages))
	}
	return all
}

func options(t *testing.T, servers []*history.Server) Options {
	return Options{Folds: 2, Seed: 1, Trees: trees.Options{Trees: 20, Depth: 3, Rate: 0.3,
		Lambda: 1, LeastWeight: 5}, Net: perceptron.Options{Units: 8, Epochs: 5, Rate: 0.01,
		Decay: 0.3},
		Open: func(_, base, past int, by *eval.Learnt) (*eval.Corpus, error) {
			c, err := eval.NewCorpus(t.Context(), servers,
				eval.Options{Base: time.Duration(base) * weekSeconds * time.Second, History: past})
			if err == nil {
				c.Learnt = by
			}
			return c, err
		}}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What is learnt on some servers ranks pages of others, and the same call learns the same. Each
// step is told once; variants have parameters of their own, of which value-immediate has no need.
func TestModels(t *testing.T) {
	servers := newsSites(6)
	folds := map[int]string{} // a server of each
	for _, s := range servers {
		folds[eval.Fold(s.Name, 2)] = s.Name
	}
	if len(folds) != 2 {
		t.Fatalf("servers of one fold: %v", folds)
	}
	o := options(t, servers)
	o.Variants = []string{"value-shape", "value-immediate"}
	last, total := 0, 0
	o.Tick = func(done, steps int, what string) {
		if done != last+1 || what == "" {
			t.Errorf("step %d (%s) after %d", done, what, last)
		}
		last, total = done, steps
	}
	p, err := Models(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(sweeps(eval.WindowWeeks)) + len(streams(eval.WindowWeeks)) +
		2*2*2; last != want || total != want {
		t.Errorf("%d of %d steps told, want %d", last, total, want)
	}
	a, b := folds[0], folds[1]
	if p.Of("value", a) == p.Of("value", b) || p.Of("value-shape", a) == p.Of("value", a) ||
		p.Of("value-immediate", a) != p.Of("value", a) {
		t.Error("parameters of folds and variants are mixed up")
	}
	o.Tick = nil
	again, err := Models(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"value", "value-shape"} {
		for _, server := range []string{a, b} {
			if got, want := asJSON(t, again.Of(policy, server)),
				asJSON(t, p.Of(policy, server)); got != want {
				t.Errorf("%s on %s: learnt again\n%s\nfirst\n%s", policy, server, got, want)
			}
		}
	}

	// A tenth of the pages a day is enough for those that change, and not for all.
	c, err := o.Open(0, 12, 0, &eval.Learnt{ModelOf: p.Of})
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.Stream(t.Context(), eval.StreamOptions{Weeks: 20, Budget: 0.1, Seed: 1,
		New: 0.25}, []string{"value", "uniform"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, u := run.Results[0].Coverage, run.Results[1].Coverage; v < 1.3*u {
		t.Errorf("coverage %.3f, of uniform %.3f", float64(v), float64(u))
	}
}

// Promise 2, and the weights: each server counts by the root of its examples, in the mean 1.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	e := examples{}
	e.Features = value.Features
	count := map[string]int{}
	for i := range 2000 {
		server := fmt.Sprintf("s%d.example", int(math.Sqrt(float64(rng.IntN(100)))))
		var row value.Row
		row[0] = float32(i)
		e.add(0, server, row[:value.Features], i%3 == 0, i%2 == 0)
		count[server]++
	}
	for _, folds := range []int{1, 2, 5} {
		judged := map[int]int{}
		for fold := range folds {
			train, test := e.split(func(server string) bool {
				return folds > 1 && eval.Fold(server, folds) == fold
			}, value.WithoutNothing)
			if train.Len()+test.Len() != 2000 {
				t.Fatalf("%d + %d examples", train.Len(), test.Len())
			}
			sum, by := 0.0, map[string]float64{}
			for i := range train.Len() {
				n := int(train.Row(i)[0])
				server := e.servers[n]
				if folds > 1 && eval.Fold(server, folds) == fold {
					t.Fatalf("%s teaches fold %d of %d, to which it belongs", server, fold, folds)
				}
				if train.Changed[i] != (n%3 == 0) {
					t.Fatalf("example %d changed %v", n, train.Changed[i])
				}
				sum += float64(train.Weights[i])
				by[server] += float64(train.Weights[i])
			}
			for i := range test.Len() {
				judged[int(test.Row(i)[0])]++
			}
			if math.Abs(sum/float64(train.Len())-1) > 1e-4 {
				t.Errorf("mean weight %g", sum/float64(train.Len()))
			}
			first := ""
			for server, weight := range by {
				if first == "" {
					first = server
				}
				if got, want := weight/by[first],
					math.Sqrt(float64(count[server])/float64(count[first])); math.Abs(
					got/want-1) > 1e-3 {
					t.Errorf("%s weighs %g times %s, want %g", server, got, first, want)
				}
			}
		}
		if folds > 1 && len(judged) != 2000 {
			t.Errorf("%d folds judge %d of 2000 examples", folds, len(judged))
		}
	}
}

// A variant's examples say nothing of what it is denied.
func TestSplitMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	plain, other := examples{}, examples{}
	plain.Features, other.Features = value.Features, value.Features
	for range 100 {
		var row value.Row
		for i := range row {
			row[i] = rng.Float32()
		}
		plain.add(0, "a.example", row[:value.Features], true, false)
		for i, name := range value.FeatureNames {
			if strings.Contains(name, "directory") {
				row[i] = rng.Float32()
			}
		}
		other.add(0, "a.example", row[:value.Features], true, false)
	}
	for _, c := range []struct {
		without value.Without
		same    bool
	}{{value.WithoutNothing, false}, {value.WithoutDirectory, true}, {value.WithoutServer, false}} {
		a, _ := plain.split(nobody, c.without)
		b, _ := other.split(nobody, c.without)
		if same := fmt.Sprint(a.Rows) == fmt.Sprint(b.Rows); same != c.same {
			t.Errorf("without %d: rows that differ in the directory are the same: %v",
				c.without, same)
		}
	}
}

// The log loss by hand: one half for all costs ln 2 each.
func TestLoss(t *testing.T) {
	e := &logodds.Examples{Features: 1}
	if f := (&trees.Forest{Features: 1}); !math.IsNaN(loss(f, e)) {
		t.Error("a loss over nothing")
	}
	e.Add([]float32{0}, true, 1)
	e.Add([]float32{0}, false, 3)
	e.Offsets = []float32{0, 0}
	if got := loss(&trees.Forest{Features: 1}, e); math.Abs(got-math.Ln2) > 1e-9 {
		t.Errorf("loss %g of one half, want ln 2", got)
	}
	// probability 3/4: 1 of ln 4/3, 3 of ln 4
	f := &trees.Forest{Features: 1, Start: float32(math.Log(3))}
	if got, want := loss(f, e), (math.Log(4./3)+3*math.Log(4))/4; math.Abs(got-want) > 1e-6 {
		t.Errorf("loss %g, want %g", got, want)
	}
	// the second has probability 1/4: all cost ln 4/3
	e.Offsets = []float32{0, float32(-2 * math.Log(3))}
	if got, want := loss(f, e), math.Log(4./3); math.Abs(got-want) > 1e-6 {
		t.Errorf("loss %g with known log odds, want %g", got, want)
	}
}

// Learning ends soon when asked to, and says what it lacks.
func TestModelsEnd(t *testing.T) {
	servers := newsSites(3)
	for _, when := range []string{"replaying", "fitting"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(t, servers)
		after := 0
		o.Tick = func(_, _ int, what string) {
			if what == when {
				cancel()
			}
			if ctx.Err() != nil {
				after++
			}
		}
		if _, err := Models(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("ended while %s: %v", when, err)
		}
		if after > 8 { // runs under way, and one blend
			t.Errorf("%d steps after the end while %s", after, when)
		}
		cancel()
	}
	lone := options(t, servers[:1])
	lone.Folds, lone.Rounds = 1, 2
	if p, err := Models(t.Context(), lone); err != nil ||
		p.Of("value", servers[0].Name).Sweep == nil {
		t.Errorf("one server, two rounds: %v", err)
	}
	alone := options(t, servers[:1])
	if _, err := Models(t.Context(), alone); err == nil ||
		!strings.Contains(err.Error(), "no other fold") {
		t.Errorf("one server in two folds: %v", err)
	}
}

func nobody(string) bool { return false }

// A curve is learnt from what the policy chose in the last round, on servers of other folds.
func TestCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	l := &learner{}
	model := value.NewModel()
	// adds nothing to Offset
	model.Stream = &value.Blend{Forest: &trees.Forest{Features: value.Features},
		Net: &perceptron.Net{Features: value.Features}}
	by := &Parameters{folds: 1,
		models: map[value.Without][]*value.Model{value.WithoutNothing: {model}}}
	e := &examples{mode: planner.Stream}
	e.Features = value.Features
	var row value.Row
	add := func(n int, share float64, chosen bool) {
		for range n {
			e.add(0, "a.example", row[:value.Features], rng.Float64() < share, chosen)
		}
	}
	for i := range row {
		row[i] = 0.8 // each feature: among them nearly a change expected
	}
	given := model.Uncalibrated(planner.Stream, &row)
	if given < 0.2 || given > 0.8 {
		t.Fatalf("the example is given %g", given)
	}
	add(5000, 1, true) // of an earlier round
	e.before = e.Len()
	add(5000, 1, false)
	add(40_000, 0.55, true)
	if at := l.curve(e, by, 0, 1).At(given); math.Abs(float64(at)-0.56) > 0.02 {
		t.Errorf("what came of %g is %g, want about 0.56", given, at)
	}
	if at := l.curve(e, by, eval.Fold("a.example", 3),
		3).At(given); math.Abs(float64(at-given)) > 1e-5 {
		t.Errorf("without examples of other folds %g became %g", given, at)
	}
}
