package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
)

func TestVerdicts(t *testing.T) {
	nan := eval.Number(math.NaN())
	for _, test := range []struct {
		w    Wanted
		low  eval.Number
		high eval.Number
		want Verdict
	}{
		{positive, 0.1, 0.2, Holds}, {positive, 0, 0.2, Untold}, {positive, -0.1, 0.2, Untold},
		{positive, -0.2, -0.1, Fails}, {positive, -0.2, 0, Fails}, {positive, 0, 0, Fails},
		{negative, -0.2, -0.1, Holds}, {negative, -0.2, 0, Untold}, {negative, 0, 0.1, Fails},
		{negative, 0, 0, Fails},
		{twice, 2, 3, Holds}, {twice, 1.9, 3, Untold}, {twice, 1, 1.99, Fails},
		{twoToThree, 2, 3, Holds}, {twoToThree, 2.2, 3.1, Untold}, {twoToThree, 1, 5, Untold},
		{twoToThree, 3.1, 4, Fails}, {twoToThree, 1, 1.9, Fails},
		{same, -0.05, 0.05, Holds}, {same, 0.04, 0.06, Untold}, {same, 0.06, 0.2, Fails},
		{same, -0.2, 0.05, Untold},
		{positive, nan, nan, Untold},
	} {
		if got := test.w.verdict([2]eval.Number{test.low, test.high}); got != test.want {
			t.Errorf("[%v, %v] where %s is wanted: %s, want %s",
				test.low, test.high, test.w.text, got, test.want)
		}
	}
	one := func(v Verdict) []Comparison { return []Comparison{{Verdict: v}} }
	for _, test := range []struct {
		found []Comparison
		want  Verdict
	}{
		{nil, Untold}, {one(Holds), Holds}, {slices.Concat(one(Holds), one(Untold)), Untold},
		{slices.Concat(one(Untold), one(Fails), one(Holds)), Fails},
	} {
		if got := together(test.found); got != test.want {
			t.Errorf("%+v together: %s, want %s", test.found, got, test.want)
		}
	}
}

// telling has a directory whose top shows changes: it changes with its members. In another
// directory nothing changes. Method A fetches 1 + 1 + 4 + 1 pages and finds 5 of 5: 5/7 against
// 5/11.
func telling(name string) *history.Server { return twoDirectories(name, true) }

// misleading has the changes in the directory whose top does not change: A fetches 3 pages and
// finds none.
func misleading(name string) *history.Server { return twoDirectories(name, false) }

func twoDirectories(name string, tells bool) *history.Server {
	changed := []int{1, 2, 3}
	lives := []life{{"/", nil, []string{"/m/", "/n/"}}}
	for _, dir := range []string{"/m/", "/n/"} {
		top := life{path: dir}
		for p := range 4 {
			member := life{path: fmt.Sprintf("%s%d", dir, p)}
			if dir == "/m/" {
				member.changes = changed
			}
			top.links = append(top.links, member.path)
			lives = append(lives, member)
		}
		if dir == "/m/" && tells {
			top.changes = changed
		}
		lives = append(lives, top)
	}
	return server(name, lives...)
}

func several(n int, prefix string, of func(name string) *history.Server) []*history.Server {
	var all []*history.Server
	for i := range n {
		all = append(all, of(fmt.Sprintf("%s%d.org", prefix, i)))
	}
	return all
}

// claim returns the claim whose sentence contains words, and its number with a name.
func (f *Figures) claim(t *testing.T, words, comparison string, weeks int) (Claim, Comparison) {
	t.Helper()
	for _, c := range f.Claims {
		if !strings.Contains(c.Claim, words) {
			continue
		}
		for _, found := range c.Found {
			if found.Comparison == comparison && found.Weeks == weeks {
				return c, found
			}
		}
		t.Fatalf("%q has no %q at %d weeks: %+v", c.Claim, comparison, weeks, c.Found)
	}
	t.Fatalf("no claim with %q", words)
	return Claim{}, Comparison{}
}

// TestThreeVerdicts checks that a claim holds if all servers agree, fails if all disagree, and is
// undecided if they are divided or few.
func TestThreeVerdicts(t *testing.T) {
	const claim, number = "each have a higher update rate than the whole",
		"update rate of a - whole"
	for _, test := range []struct {
		name    string
		servers []*history.Server
		want    Verdict
		value   float64
	}{
		{"all tell", several(6, "t", telling), Holds, 5./7 - 5./11},
		{"none tells", several(6, "m", misleading), Fails, -4. / 11},
		// Five telling servers: 25 of 35 fetched; fifteen others: 0 of 45; 85 of 220 in all.
		{"divided", append(several(5, "t", telling), several(15, "m", misleading)...), Untold,
			25./80 - 85./220},
		{"few", several(4, "t", telling), Untold, 5./7 - 5./11},
		{"one", several(1, "t", telling), Untold, 5./7 - 5./11},
	} {
		f := figuresOf(t, corpusOf(t, 0, test.servers...), FiguresOptions{Weeks: []int{4}, Seed: 1})
		_, found := f.claim(t, claim, number, 4)
		if found.Verdict != test.want || !near(float64(found.Value), test.value) {
			t.Errorf("%s: %+v, want %s of %v", test.name, found, test.want, test.value)
		}
		if few := len(test.servers) < LeastServers; few != slices.ContainsFunc(f.Warnings,
			func(w string) bool { return strings.Contains(w, "fewer than 5 servers") }) {
			t.Errorf("%s: warnings %q", test.name, f.Warnings)
		}
	}
}

// TestClaimsByHand checks the numbers of each claim by hand, on equal servers: intervals have no
// width.
func TestClaimsByHand(t *testing.T) {
	f := figuresOf(t, corpusOf(t, 0, several(6, "t", telling)...),
		FiguresOptions{Weeks: []int{12, 2, 4, 2}, Seed: 1})
	if !slices.Equal(f.Weeks, []int{2, 4, 12}) {
		t.Errorf("weeks %v", f.Weeks)
	}
	// Of 11 pages a and b fetch / /m/ /n/ and the members of /m/, and find 5 of 5. c fetches /
	// alone. Breadth-first: 1, 2 and 8 pages by depth, 0, 1 and 4 of them changed.
	for _, test := range []struct {
		claim, comparison string
		weeks             int
		value             float64
		verdict           Verdict
	}{
		{"2 to 3 times", "update rate of a / whole", 2, 11. / 7, Fails},
		{"2 to 3 times", "update rate of a / whole", 4, 11. / 7, Fails},
		{"on average", "update rate of c / whole", 0, 0, Fails},
		{"a higher update rate goes", "coverage of b - c", 12, 1, Holds},
		{"a higher update rate goes", "update rate of b - a", 12, 0, Fails},
		{"70 to 80 %", "coverage of c", 4, 0, Fails},
		{"sooner than random", "area above random order", 4, 25./55 - 0.5, Fails},
		{"cover more than breadth-first", "coverage of a - breadth-first", 4, 1 - 3./5, Holds},
		{"at least twice", "update rate of a / breadth-first", 2, 5. / 3, Fails},
		{"10 % or more", "coverage", 4, 1, Fails},
		{"10 % or more", "update rate", 4, 5. / 11, Holds},
		{"by rate cover more", "coverage of server-true - a", 2, 7./11 - 1, Fails},
		{"by rate cover more", "coverage of server-true - a", 4, 7./11 - 1, Fails},
		{"cover as much", "coverage of server-true - a", 12, 7./11 - 1, Fails},
		{"better alone", "coverage of server-true+a - server-true", 2, 1 - 7./11, Fails},
		{"A inside than alone", "coverage of server-true+a - server-true", 4, 1 - 7./11, Holds},
		{"A or B inside", "coverage of server-true+a or b - server-true", 12, 1 - 7./11, Holds},
		{"worse with C", "coverage of server-true+c - server-true", 4, -1. / 11, Holds},
	} {
		_, found := f.claim(t, test.claim, test.comparison, test.weeks)
		if math.Abs(float64(found.Value)-test.value) > 1e-12 || found.Verdict != test.verdict ||
			found.Interval[0] != found.Interval[1] ||
			math.Abs(float64(found.Interval[0])-test.value) > 1e-12 {
			t.Errorf("%s: %+v, want %v: %s", test.claim, found, test.value, test.verdict)
		}
	}
	groups, _ := f.claim(t, "in every group", "update rate of c - b", 4)
	if len(groups.Found) != 3 || groups.Found[0].Group != "all" {
		t.Errorf("groups %+v", groups.Found)
	}
}

// TestDistinctSetsOfServers checks that least rates which select the same servers count once: with
// two servers of rates 5/11 and 1, nine thresholds select two sets.
func TestDistinctSetsOfServers(t *testing.T) {
	busy := server("busy.org", life{"/", []int{1, 2, 3}, []string{"/a/"}},
		life{"/a/", []int{1, 2, 3}, nil})
	f := figuresOf(t, corpusOf(t, 0, telling("t.org"), busy),
		FiguresOptions{Weeks: []int{4}, Seed: 1})
	// Both: a fetches 7 + 2 pages and finds 5 + 2 of 7; server-true finds 2, and 7 * 5/11 on t.org.
	// busy.org alone: the same with and without a.
	both := (7 - (2 + 7*5./11)) / 7
	if _, found := f.claim(t, "A inside than alone", "coverage of server-true+a - server-true",
		4); math.Abs(float64(found.Value)-both/2) > 1e-12 {
		t.Errorf("%v, want %v: the mean over two sets, not over nine rates, %v",
			found.Value, both/2, 4*both/9)
	}
}

// TestClaimsSayWhatFiguresShow checks that claims and figures have equal numbers, for any servers.
func TestClaimsSayWhatFiguresShow(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(12) {
		c := corpusOf(t, 1, randomServers(seed)...)
		f := figuresOf(t, c, FiguresOptions{Weeks: []int{2, 4, 12}, Seed: seed})
		everyRate := figuresOf(t, c,
			FiguresOptions{Weeks: f.Weeks, Seed: seed, Thresholds: ratesOf(t, c, f.Weeks)})
		shown := func(comparison string, weeks int) float64 {
			i := slices.Index(f.Weeks, weeks)
			if policy, ok := strings.CutPrefix(comparison, "coverage of server-true+"); ok {
				names, _, _ := strings.Cut(policy, " - ")
				best := math.Inf(-1)
				for _, name := range strings.Split(names, " or ") {
					best = math.Max(best,
						combinedOf(&f.Periods[i], &everyRate.Periods[i], "server-true+"+name))
				}
				return best
			}
			return ofFigures(t, &f.Periods[i], comparison)
		}
		average := 0.
		for _, weeks := range f.Weeks {
			average += shown("update rate of c / whole", weeks) / float64(len(f.Weeks))
		}
		for _, claim := range f.Claims {
			for _, found := range claim.Found { // also of a group: all servers are one
				want := average
				if found.Weeks > 0 {
					want = shown(found.Comparison, found.Weeks)
				}
				if got := float64(found.Value); !(math.Abs(got-want) < 1e-11 || math.IsNaN(got) &&
					math.IsNaN(want)) {
					t.Errorf("%s: %s at %d weeks is %v, in the figures %v; %s",
						claim.Claim, found.Comparison, found.Weeks, got, want, repeat(t, seed))
				}
			}
		}
	}
}

// ratesOf returns the rates of all servers.
func ratesOf(t *testing.T, c *eval.Dataset, weeks []int) (rates []float64) {
	t.Helper()
	for _, n := range weeks {
		f := figuresOf(t, c, FiguresOptions{Weeks: []int{n}, GroupOf: func(server string) string {
			return server
		}})
		for _, g := range f.Groups {
			rates = append(rates, float64(g.Methods[0].UpdateRate))
		}
	}
	return rates
}

// combinedOf compares methods inside servers with the line of whole servers of every rate.
func combinedOf(p, everyRate *Period, policy string) float64 {
	covered := func(fetched int) float64 {
		x, y := 0., 0.
		points := everyRate.Thresholds[0].Points
		for i := len(points) - 1; i >= 0; i-- {
			nextX, nextY := float64(points[i].Fetched), float64(points[i].Coverage)
			if float64(fetched) <= nextX {
				return y + (nextY-y)*divide(float64(fetched)-x, nextX-x)
			}
			x, y = nextX, nextY
		}
		return y
	}
	i := slices.IndexFunc(p.Thresholds, func(b ByServer) bool { return b.Policy == policy })
	sum, n, last := 0., 0., -1
	for _, point := range p.Thresholds[i].Points {
		another := point.Servers != last
		if last = point.Servers; another && point.Fetched > 0 {
			sum += float64(point.Coverage) - covered(point.Fetched)
			n++
		}
	}
	return divide(sum, n)
}

// ofFigures returns a comparison from the figures of a period.
func ofFigures(t *testing.T, p *Period, comparison string) float64 {
	t.Helper()
	measure, sides, ofOne := strings.Cut(comparison, " of ")
	value := func(side string) float64 {
		policy, _, _ := strings.Cut(side, " ")
		m := p.method(t, policy)
		if measure == "coverage" {
			return float64(m.Coverage)
		}
		return float64(m.UpdateRate)
	}
	first, _, _ := strings.Cut(sides, " ")
	switch {
	case comparison == "area above random order":
		area, before := 0., Result{}
		for _, d := range p.Depths {
			area += float64(d.Share-before.Share) * float64(d.Coverage+before.Coverage) / 2
			before = d.Result
		}
		return area - 0.5
	case !ofOne && comparison == "coverage":
		return float64(p.Thresholds[0].Points[0].Coverage)
	case !ofOne:
		return float64(p.Thresholds[0].Points[0].UpdateRate)
	case strings.HasPrefix(sides, "server-true - "):
		m := p.method(t, strings.TrimPrefix(sides, "server-true - "))
		return float64(m.ServerTrue - m.Coverage)
	case strings.HasSuffix(sides, " - breadth-first"):
		m := p.method(t, first)
		return float64(m.Coverage - m.BreadthFirst)
	case strings.HasSuffix(sides, " / breadth-first"):
		m := p.method(t, first)
		return divide(float64(m.Coverage), float64(m.BreadthFirst))
	case strings.Contains(sides, " / "):
		_, second, _ := strings.Cut(sides, " / ")
		return divide(value(first), value(second))
	case strings.Contains(sides, " - "):
		_, second, _ := strings.Cut(sides, " - ")
		return value(first) - value(second)
	}
	return value(first)
}

func TestUndefined(t *testing.T) {
	of := func(n int) statistic { // defined in n of 4 resamples, and here
		return func(times []int) float64 { return divide(1, float64(min(1, max(0, n-times[0]+1)))) }
	}
	draws := [][]int{{1}, {2}, {3}, {4}}
	for n, want := range map[int]Verdict{4: Holds, 2: Holds, 1: Untold} {
		c := Comparison{wanted: positive, servers: LeastServers, of: of(n)}
		if c.judge(draws); c.Verdict != want {
			t.Errorf("defined in %d of 4: %+v, want %s", n, c, want)
		}
	}
	c := Comparison{wanted: positive, servers: LeastServers, of: of(0)}
	if c.judge(draws); c.Verdict != Untold || !math.IsNaN(float64(c.Interval[0])) {
		t.Errorf("nowhere defined: %+v", c)
	}
}

// TestMeasured checks that a claim needs several repetitions, and one setting.
func TestMeasured(t *testing.T) {
	for n, want := range []Verdict{Untold, Untold, Holds, Holds} {
		values := []float64{3, 4, 5}[:n]
		if c := Measured("", Above(2), values...); c.Verdict != want {
			t.Errorf("%d repetitions: %s, want %s", n, c.Verdict, want)
		}
	}
	if c := Across("", Above(2), 3); c.Verdict != Holds {
		t.Errorf("one setting: %s", c.Verdict)
	}
}
