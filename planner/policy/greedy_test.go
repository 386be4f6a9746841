package policy

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// watched returns the history of a page visited each day after day 0, which had changed on the
// given days.
func watched(days int, changed ...int) sitegraph.History {
	h := sitegraph.History{Epoch: sitegraph.Unix32(simtest.At(0)),
		Last: sitegraph.Unix32(simtest.At(days)), Visits: uint32(days + 1),
		Changes: uint32(len(changed)),
		Stable:  uint32((days - len(changed)) * 86400)}
	week := sitegraph.Week(h.Last)
	for d := 1; d <= days; d++ {
		h.WeeksSeen |= 1 << (week - sitegraph.Week(sitegraph.Unix32(simtest.At(d))))
	}
	for _, d := range changed {
		h.MinInterval = 86400
		h.LastChange = sitegraph.Unix32(simtest.At(d))
		h.WeeksChanged |= 1 << (week - sitegraph.Week(sitegraph.Unix32(simtest.At(d))))
	}
	return h
}

// greedyOver returns a greedy policy over pages with these histories, in a directory each, in its
// first round.
func greedyOver(t *testing.T, name string, s Settings, histories ...sitegraph.History) *greedy {
	t.Helper()
	g := sitegraph.NewGraph()
	s.Pages, s.Mode = planner.NewPages(g), planner.Stream
	for i, h := range histories {
		r := sitegraph.Record{State: sitegraph.StateAlive, History: h}
		r.Page = g.Add("http://example.com/" + string(rune('a'+i)) + "/page")
		s.Pages.Remember(&r)
	}
	policy, err := New(name, s)
	if err != nil {
		t.Fatal(err)
	}
	p := planner.New(s.Pages, policy, planner.Options{})
	p.Begin(planner.Round{Number: 1, Start: simtest.At(20), End: simtest.At(21), Budget: 1})
	if a, ok := policy.(*atIntervals); ok {
		return a.greedy
	}
	return policy.(*greedy)
}

func wantNear(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

// The rates of the greedy policies, by hand: of ten daily visits three saw a change, none did, or
// all; and a page visited once.
func TestGreedyRates(t *testing.T) {
	some, none, all, once := watched(10, 2, 5, 6), watched(10), watched(3, 1, 2, 3), watched(0)
	for _, c := range []struct {
		policy string
		of     sitegraph.History
		want   float64
	}{
		{"cho-biased", some, math.Log(10.5 / 7.5)}, // [Cho 2003]: log((n+0.5)/(n-X+0.5)) / interval
		{"cho-biased", none, 0},
		{"cho-biased", all, math.Log(3.5 / 0.5)},
		{"cho-biased", once, 2 * math.Ln2},
		{"lln", some, 3. / 8}, // 3/(10+1-3) at one visit a day
		{"lln", none, 0},
		{"lln", all, 3},
		{"lln", once, 2 * math.Ln2},
		{"sa", some, 3. / 8}, // before its first own visit like lln
		{"sa", once, 2 * math.Ln2},
		{"poisson", none, 2 * math.Log(11/10.5)}, // root of 0.5/(exp(rate/2)-1) = 0.5+10
		{"poisson", once, 2 * math.Ln2},
	} {
		wantNear(t, c.policy, greedyOver(t, c.policy, Settings{}, c.of).rate(0), c.want, 1e-6)
	}
	// Smoothed maximum likelihood without a closed form: the derivative of the log likelihood is 0.
	rate := greedyOver(t, "poisson", Settings{}, some).rate(0)
	wantNear(t, "changed intervals", 3/math.Expm1(rate)+0.5/math.Expm1(0.5*rate), 7.5, 1e-5)
	// The score is rate * age, and the probability is that of a Poisson process.
	g := greedyOver(t, "cho-biased", Settings{}, some)
	wantNear(t, "score", g.score(0, 4), 4*math.Log(10.5/7.5), 1e-6)
	wantNear(t, "probability", g.probability(0, 4), 1-math.Pow(7.5/10.5, 4), 1e-6)
}

// [NICT eq. 1]. The page that changed on days 3 and 7 of 10 has by [SAT eq. 1] the interval
// sqrt(1*1)/log(10/8) = 4.481 days; the other was watched for 10 days without a change, to which
// the mean of both is added: 20 days for 2 changes.
func TestGammaByHand(t *testing.T) {
	changing, quiet := watched(10, 3, 7), watched(10)
	const tau = 4.4814201
	g := greedyOver(t, "gamma", Settings{}, changing, quiet)
	wantNear(t, "probability", g.probability(0, 5), 1-math.Exp(-5/tau), 1e-6)
	wantNear(t, "quiet page", g.probability(1, 5), 1-math.Exp(-5/20.0), 1e-6)
	wantNear(t, "order", g.score(0, 5)/g.score(1, 5), 20/tau, 1e-6)
	g = greedyOver(t, "gamma", Settings{Alpha: 0.2}, changing, quiet)
	wantNear(t, "gamma", g.score(0, 5), 0.2+0.8*(1-math.Exp(-5/tau)), 1e-6)
	if g.score(1, 0) != 0.2 {
		t.Errorf("gamma %g of a page just visited, want the importance", g.score(1, 0))
	}
}

// The mean interval of a new page is the time since its Last-Modified, at least a day, until its
// next visit. Without a Last-Modified it is the mean of all pages.
func TestGammaOfNewPages(t *testing.T) {
	for _, c := range []struct {
		modified time.Time
		want     float64
	}{
		{simtest.At(-30), 30},
		{simtest.At(0).Add(-time.Minute), 1},
		{simtest.At(3), 5}, // in the future
		{time.Time{}, 5},
	} {
		g := greedyOver(t, "gamma", Settings{PerDay: 0.2}, sitegraph.Start(simtest.At(0)))
		g.Pages.Hints.ClaimHeader(0, c.modified)
		g.Pages.Hints.Test(0, sitegraph.VerdictFirst)
		g.Observe(0, sitegraph.VerdictFirst)
		wantNear(t, c.modified.String(), 1/g.rate(0), c.want, 1e-6)
		g.Observe(0, sitegraph.VerdictUnchanged)
		wantNear(t, "later", 1/g.rate(0), 5, 1e-6)
	}
}

// Importance is proportional to the weight of a page.
func TestGammaImportance(t *testing.T) {
	g := greedyOver(t, "gamma", Settings{Alpha: 0.2}, watched(10), watched(10))
	w, err := preferences.ParseWeights([]string{"http://example.com/a/=3",
		"http://example.com/b/=1"})
	if err != nil {
		t.Fatal(err)
	}
	g.Pages.SetWeights(w)
	wantNear(t, "heavy", g.score(0, 0), 0.3, 1e-9)
	wantNear(t, "light", g.score(1, 0), 0.1, 1e-9)
}

// With an importance pages are drawn in proportion to their gamma.
func TestGammaDraws(t *testing.T) {
	changing, quiet := watched(20, 3, 7, 12), watched(20)
	g := greedyOver(t, "gamma", Settings{Alpha: 0.3}, changing, quiet)
	first := 0.0
	const rounds = 20_000
	for n := 1; n <= rounds; n++ {
		g.Pages.Begin(planner.Round{Number: n, Start: simtest.At(24), End: simtest.At(25),
			Budget: 1})
		g.Begin(g.Pages.Round())
		g.Offer([]sitegraph.PageID{0, 1})
		if v, _ := g.Next(); v.Page == 0 {
			first++
		}
	}
	want := g.score(0, 5) / (g.score(0, 5) + g.score(1, 5))
	if got := first / rounds; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/rounds) {
		t.Errorf("the changing page is first in %.4f of the draws, want %.4f", got, want)
	}
}

// The index against its definition, averaged over the posterior on a grid of logarithms; and its
// value for a known rate after one day, q^2.
func TestWhittleIndex(t *testing.T) {
	for _, g := range []estimator.GammaPoisson{{Shape: 0.5, Days: 131}, {Shape: 3.5, Days: 20},
		{Shape: 12, Days: 15}} {
		gamma := distuv.Gamma{Alpha: g.Shape, Beta: g.Days}
		last := 0.0
		for _, k := range []float64{1, 2, 7, 40, 365} {
			const step = 0.01
			want := 0.0
			for log := -30.0; log < 6; log += step {
				rate := math.Exp(log)
				q := -math.Expm1(-rate)
				want += gamma.Prob(rate) * (1 - math.Pow(1-q, k)*(1+k*q)) * rate * step
			}
			got := whittleIndex(g, k)
			wantNear(t, "index", got, want, 1e-6)
			if got <= last {
				t.Errorf("index %g after %g days, %g before", got, k, last)
			}
			last = got
		}
	}
	known := estimator.GammaPoisson{Shape: 1e9, Days: 1e9 / 0.3}
	q := -math.Expm1(-0.3)
	wantNear(t, "known rate, a day", whittleIndex(known, 1), q*q, 1e-6)
	wantNear(t, "known rate, three days", whittleIndex(known, 3), 1-math.Pow(1-q, 3)*(1+3*q), 1e-6)
	// The terms nearly cancel on both sides of the change of formula.
	below, above := estimator.GammaPoisson{Shape: 1, Days: 2.01e5},
		estimator.GammaPoisson{Shape: 1, Days: 1.99e5}
	wantNear(t, "small index", whittleIndex(below, 1)*2.01e5*2.01e5, 2, 1e-4)
	wantNear(t, "small index", whittleIndex(above, 1)*1.99e5*1.99e5, 2, 1e-4)
	if got := whittleIndex(known, 0); got != 0 {
		t.Errorf("index %g of a page just visited", got)
	}
}

// [Olston and Pandey 2008, eq. 4] with their bound of the risk: U(t) = 1/rate - (t + 1/rate)
// exp(-rate*t), or a tenth of the age if that is more.
func TestLongevityScore(t *testing.T) {
	pages := planner.NewPages(sitegraph.NewGraph())
	at := func(rate, days float64) float64 {
		l := longevity{&pageRates{pages: pages, estimate: func(sitegraph.PageID) float64 {
			return rate
		}}}
		return l.score(0, days)
	}
	wantNear(t, "rate 1, a day", at(1, 1), 1-2/math.E, 1e-6)
	wantNear(t, "rate 2, a day", at(2, 1), 0.5-1.5*math.Exp(-2), 1e-6)
	wantNear(t, "rate 5, 20 days", at(5, 20), 2, 1e-6)
	// One threshold gives the intervals of the optimal freshness: pages of 1 to 4 changes a day
	// reach it together at the frequencies of Cho and Garcia-Molina, those of 5 a day never do.
	classes := []class{{rate: 1, pages: 1}, {rate: 2, pages: 1}, {rate: 3, pages: 1},
		{rate: 4, pages: 1}, {rate: 5, pages: 1}}
	optimalFreshness(classes, 5)
	threshold := at(1, 1/classes[0].visit)
	for _, c := range classes[:4] {
		wantNear(t, "utility at the optimal interval", at(c.rate, 1/c.visit), threshold, 1e-6)
	}
	if at(5, 1.5) >= threshold {
		t.Errorf("the fastest page comes to %g, the threshold is %g", at(5, 1.5), threshold)
	}
}

// gp4c: the first of the published best functions for ChangeRate, by hand. A page visited on days 0
// to 20, of three weeks, which changed in the first and the last: gad = (1 + 4) / 7; a week later
// it is (1+4)/15.
func TestGP4CByHand(t *testing.T) {
	start := simtest.At(0).AddDate(0, 0, 3) // 4 March 2004: weeks of unix time begin on Thursdays
	h := sitegraph.History{Epoch: sitegraph.Unix32(start),
		Last: sitegraph.Unix32(start.AddDate(0, 0, 20)), Visits: 21, Changes: 2, WeeksSeen: 0b111,
		WeeksChanged: 0b101}
	if h.Epoch%(7*86400) != 0 {
		t.Fatalf("%v is not the first day of a week", start)
	}
	wantNear(t, "gad", gad(&h, 0), 5./7, 1e-12)
	wantNear(t, "gad a week later", gad(&h, 7), 5./15, 1e-12)
	wantNear(t, "gad of a change half a year ago", gad(&h, 28*7), 5*math.Ldexp(1, -31), 1e-6)
	if got := gad(&h, 33*7); got != 0 {
		t.Errorf("gad %g of changes before the window", got)
	}
	never := watched(20)
	if gad(&never, 3) != 0 || cho(&never) != 0 {
		t.Errorf("gad %g, cho %g of a page that never changed", gad(&never, 3), cho(&never))
	}
	g := greedyOver(t, "gp4c", Settings{}, h)
	rate := math.Log(20.5 / 18.5)
	wantNear(t, "score", g.score(0, 7), rate*rate*7+5./15, 1e-9)
}

// hier: directories' rates are pulled toward their server's, that toward the rate of all, that
// toward the default, each with the weight of two changes.
func TestHierByHand(t *testing.T) {
	g := greedyOver(t, "hier", Settings{}, watched(10, 1, 2, 3, 4), watched(10))
	all := (4 + 2.0) / (20 + 2*131/0.5)
	server := (4 + 2.0) / (20 + 2/all)
	first, second := (4+2.0)/(10+2/server), (0+2.0)/(10+2/server)
	wantNear(t, "rate of the changing page", g.rate(0), (0.5+4)/(0.5/first+10), 1e-9)
	wantNear(t, "rate of the quiet page", g.rate(1), 0.5/(0.5/second+10), 1e-9)
	wantNear(t, "probability", g.probability(1, 5), 1-math.Sqrt((0.5/second+10)/(0.5/second+15)),
		1e-9)
}

// Pages of an allocation are due shortly before the end of their interval; a page without visits is
// due after all others.
func TestAllocationDue(t *testing.T) {
	for _, name := range []string{"freshness", "lambdacrawl", "binary-lambdacrawl"} {
		g := greedyOver(t, name, Settings{PerDay: 0.2}, watched(18, 2, 5, 6), watched(19),
			watched(20, 11), watched(20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
		policy := &atIntervals{greedy: g, allocation: g.scorer.(*allocation)}
		for p := range sitegraph.PageID(4) {
			due, _ := policy.Due(p, simtest.At(21))
			days := estimator.Days(due.When.Sub(g.Pages.Memory(p).History.LastVisit()))
			if g.score(p, 1) == 0 {
				wantNear(t, name+": without visits", days, 10*longestWait, 1e-6)
				continue
			}
			wantNear(t, name+": part of the interval", g.score(p, days), early, 1e-3)
		}
	}
}

// A page that scores 0 comes when all others are finished.
func TestGreedyWithoutScore(t *testing.T) {
	g := greedyOver(t, "cho-biased", Settings{}, watched(10), watched(5), watched(20, 20),
		watched(20, 4))
	var order []sitegraph.PageID
	for v, ok := g.Next(); ok; v, ok = g.Next() {
		order = append(order, v.Page)
		g.Pages.Propose(v.Page)
	}
	if len(order) != 4 || order[2] != 1 || order[3] != 0 {
		t.Errorf("order %v, want the pages that changed and then the oldest copies, 1 and 0", order)
	}
}
