package value

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// kindOf is the kind that each feature belongs to, by a part of its name.
var kindOf = map[string]Without{"its own": WithoutOwn, "what its last": WithoutOwn,
	"visits that compared it": WithoutOwn,
	"days since it was seen":  WithoutOwn, "its last weeks": WithoutOwn,
	"days it is known": WithoutOwn,
	"address shape":    WithoutShape, "directory": WithoutDirectory, "section": WithoutSection,
	"server": WithoutServer, "all servers": WithoutAll,
	"segments": WithoutAddress, "digits": WithoutAddress, "name": WithoutAddress,
	"index": WithoutAddress, "parameters": WithoutAddress,
	"version": WithoutAddress, "links": WithoutLinks}

// Every feature but the age belongs to one kind, by what people are told of it; a mask changes
// those of its kind, and no others but the page's own rate, which leans on its shape's, and what
// both of them expect.
func TestMask(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	masked := map[int]bool{fAge: true, fWeekend: true}
	for w := WithoutNothing; w < withouts; w++ {
		changed := map[int]bool{}
		for range 50 {
			var row Row
			for i := range row {
				row[i] = 1000 + 1000*rng.Float32() // nothing a mask would set
			}
			row[fKnown] += row[fAge]
			expect(&row)
			before := row
			w.Mask(&row)
			for i := range row {
				if row[i] != before[i] {
					changed[i] = true
				}
			}
			again := row
			if w.Mask(&again); w != WithoutShape && again != row { // this sums in floats
				t.Errorf("without %s: masked twice %v, once %v", withoutNames[w], again, row)
			}
		}
		for i, name := range FeatureNames {
			want := false
			for part, kind := range kindOf {
				want = want || kind == w && strings.Contains(name, part) &&
					!(kind == WithoutServer && strings.Contains(name, "all servers"))
			}
			want = want || w == WithoutShape && i == fOwnExpected || w == WithoutOwn &&
				(i == fExpected || slices.Contains(pooledFeatures, i))
			if changed[i] {
				masked[i] = true
			}
			if changed[i] != want {
				t.Errorf("without %q: feature %q changed %v, want %v",
					withoutNames[w], name, changed[i], want)
			}
		}
	}
	if len(masked) != Features {
		t.Errorf("%d of %d features belong to a kind", len(masked), Features)
	}
}

// pooledFeatures are what plain estimators say of a page.
var pooledFeatures = []int{fPooled, fRates, fHalfRates}

// handDriven is a variant of value on two servers with two directories and two shapes each, told
// outcomes by hand.
type handDriven struct {
	*testing.T
	corpus  *planner.Corpus
	records []sitegraph.Record
	policy  *Policy
}

func newHandDriven(t *testing.T, variant string) *handDriven {
	t.Helper()
	var paths []string
	for i := range 8 {
		paths = append(paths, fmt.Sprintf("d%d/x/%s%d.html",
			i%2, []string{"page", "news-item-"}[i/4], i))
	}
	return newHandDrivenOn(t, variant, paths)
}

// newHandDrivenOn is that on two servers with pages at these paths each.
func newHandDrivenOn(t *testing.T, variant string, paths []string) *handDriven {
	t.Helper()
	g := sitegraph.NewGraph()
	h := &handDriven{T: t, corpus: planner.NewCorpus(g)}
	for s := range 2 {
		top := fmt.Sprintf("http://s%d.example/", s)
		var links []string
		for _, path := range paths {
			links = append(links, top+path)
		}
		g.SetLinks(g.AddStart(top), links, nil)
	}
	g.Refresh()
	for p := range sitegraph.PageID(g.Pages()) {
		h.records = append(h.records, sitegraph.Record{Page: p, URL: g.URL(p),
			State: sitegraph.StateAlive, History: sitegraph.Start(simtest.At(0))})
		h.corpus.Remember(&h.records[p])
	}
	h.start(variant)
	return h
}

// start makes a policy from the corpus: also a process that begins anew.
func (h *handDriven) start(variant string) {
	h.Helper()
	h.policy = New(Settings{Corpus: h.corpus, Mode: planner.Stream, Seed: 1,
		Without: WithoutOf(variant)})
}

func (h *handDriven) begin(day int) {
	h.corpus.Begin(planner.Round{Number: day, Start: simtest.At(day - 1), End: simtest.At(day)})
	h.policy.Begin(h.corpus.Round())
}

func (h *handDriven) visit(p sitegraph.PageID, day int, changed bool) {
	r := &h.records[p]
	r.History.See(simtest.At(day), changed, simtest.At(-400))
	r.Tried = simtest.At(day)
	h.corpus.Remember(r)
	h.policy.Observe(p, map[bool]sitegraph.Verdict{true: sitegraph.VerdictChanged,
		false: sitegraph.VerdictUnchanged}[changed])
}

func (h *handDriven) row(p sitegraph.PageID, day int) (row Row) {
	h.policy.Row(p, simtest.At(day), &row)
	return row
}

// differing names the features in which rows differ by more than sums in floats do.
func differing(a, b Row) (names []string) {
	for i := range FeatureNames {
		if math.Abs(float64(a[i]-b[i])) > 1e-4*math.Max(1, math.Abs(float64(a[i]))) {
			names = append(names, FeatureNames[i])
		}
	}
	return names
}

// What is denied is not seen: two worlds in which only the outcomes of other pages differ look
// the same once all groups are denied, the largest first, and not while one is left.
func TestWithoutSeesNothing(t *testing.T) {
	const page, last = 3, 17
	groups := []Without{WithoutAll, WithoutServer, WithoutSection, WithoutDirectory, WithoutShape}
	for denied := range len(groups) + 1 {
		var rows [2]Row
		for world := range rows {
			h := newHandDriven(t, "value")
			for day := 1; day <= 12; day++ {
				h.begin(day)
				for p := sitegraph.PageID(0); p <= last; p++ {
					if int(p)%3 == day%3 {
						h.visit(p, day, (day/3+int(p))%4 == 0 != (world == 1 && p != page))
					}
				}
			}
			if world == 1 {
				h.begin(13)
				h.leave(5, 13) // of the same groups
			}
			rows[world] = h.row(page, 14)
			for _, w := range groups[:denied] {
				w.Mask(&rows[world])
			}
		}
		for _, i := range pooledFeatures { // their priors are those of groups, as ever
			rows[0][i], rows[1][i] = 0, 0
		}
		if names := differing(rows[0], rows[1]); (len(names) == 0) != (denied == len(groups)) {
			t.Errorf("with %d groups denied, worlds differ in %v", denied, names)
		}
	}
	// Two pages in the same groups, visited on the same days, of which one changes always.
	for _, c := range []struct {
		variant string
		same    bool
	}{{"value", false}, {"value-own", true}} {
		h := newHandDriven(t, c.variant)
		for day := 1; day <= 9; day++ {
			h.begin(day)
			h.visit(1, day, true) // /d0/x/page0.html
			h.visit(3, day, false)
		}
		if names := differing(h.row(1, 12), h.row(3, 12)); (len(names) == 0) != c.same {
			t.Errorf("%s: pages differ in %v", c.variant, names)
		}
	}
}

// value-immediate learns nothing within a round; when the next begins it knows what value knows.
func TestWithoutProbe(t *testing.T) {
	probe, full := newHandDriven(t, "value-immediate"), newHandDriven(t, "value")
	both := []*handDriven{probe, full}
	for day := 1; day <= 6; day++ {
		for _, h := range both {
			h.begin(day)
		}
		for p := range sitegraph.PageID(18) {
			if names := differing(probe.row(p, day), full.row(p, day)); len(names) > 0 {
				t.Fatalf("page %d at the start of day %d: %v differ", p, day, names)
			}
		}
		before, fullBefore := probe.row(5, day), full.row(5, day)
		for _, h := range both {
			h.visit(3, day, day%2 == 0)
			h.visit(7, day, true)
		}
		if names := differing(before, probe.row(5, day)); len(names) > 0 {
			t.Errorf("value-immediate learnt within day %d: %v", day, names)
		}
		if len(differing(fullBefore, full.row(5, day))) == 0 {
			t.Errorf("value learnt nothing within day %d", day)
		}
		if age := probe.row(3, day)[fAge]; age != 0 {
			t.Errorf("day %d: a page visited now is %g days old", day, age)
		}
	}
}

// What a probe saw reaches the scores in the round that follows, also of pages whose turn to be
// scored would come later.
func TestProbeReachesScores(t *testing.T) {
	h := newHandDriven(t, "value-immediate")
	h.begin(1)
	for p := range sitegraph.PageID(9) {
		h.policy.scores[p].again = 1e9
	}
	old := h.policy.scores[5].raw
	for _, p := range []sitegraph.PageID{1, 3, 7} {
		h.visit(p, 1, true)
	}
	h.begin(2)
	if now := h.policy.scores[5].raw; now <= old {
		t.Errorf("a page of a server that was rebuilt: %g before, %g after", old, now)
	}
}

// The variants are policies of ours that no live run offers by default, and are named by what they
// lack.
func TestAblations(t *testing.T) {
	names := Ablations()
	if len(names) != int(withouts)-1 || !slices.IsSortedFunc(names, func(a, b string) int {
		return int(WithoutOf(a)) - int(WithoutOf(b))
	}) {
		t.Errorf("variants %v", names)
	}
	for _, name := range names {
		if WithoutOf(name) == WithoutNothing {
			t.Errorf("%s: without nothing", name)
		}
	}
	for _, name := range []string{"value", "value-", "value-nonsense", "ebayes"} {
		if WithoutOf(name) != WithoutNothing {
			t.Errorf("%s is without %d", name, WithoutOf(name))
		}
	}
}

// value-claims goes by nothing that a sitemap claims, and value does; what is claimed is told to
// both.
func TestWithoutClaims(t *testing.T) {
	for _, test := range []struct {
		variant string
		same    bool
	}{{"value", false}, {"value-claims", true}} {
		var probabilities [2]float64
		for world := range probabilities {
			c, source := simtest.Claimed(t, 12, simtest.ClaimsBase.Add(20*planner.Day))
			// A truthful sitemap: of pages it says have changed all have, of the others none.
			if err := c.Hints.Restore(c.Graph.Server(source),
				[]byte(`{"sitemap":{"true":30,"same":30}}`)); err != nil {
				t.Fatal(err)
			}
			v := New(Settings{Corpus: c, Mode: planner.Stream, Seed: 1,
				Without: WithoutOf(test.variant)})
			p := planner.New(c, v, planner.Options{})
			p.Begin(planner.Round{Number: 1, Start: simtest.ClaimsBase.Add(20 * planner.Day),
				End: simtest.ClaimsBase.Add(21 * planner.Day), Budget: planner.Unlimited})
			page := source + 5
			if world == 1 {
				p.UpdateHints(source, hints.Sitemap,
					[]hints.Claim{{Page: page, Modified: simtest.ClaimsBase.Add(planner.Day),
						Every: 0}}, true)
			}
			probabilities[world] = v.Probability(page, simtest.ClaimsBase.Add(21*planner.Day))
			first, ok := p.Next()
			if !ok || world == 1 && !test.same && first.Page != page {
				t.Errorf("%s: the first of the round is page %d, want the one claimed, %d",
					test.variant, first.Page, page)
			}
			for _, of := range v.Explain(page, simtest.ClaimsBase.Add(21*planner.Day)).All {
				if strings.Contains(of.Evidence, "claims") && (test.same || world == 0) {
					t.Errorf("%s: %+v", test.variant, of)
				}
			}
		}
		if (probabilities[0] == probabilities[1]) != test.same ||
			probabilities[1] < probabilities[0] {
			t.Errorf("%s: probability %v without a claim, %v with one",
				test.variant, probabilities[0], probabilities[1])
		}
	}
}
