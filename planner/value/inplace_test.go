package value

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// visitsTo tells of visits to ten servers, of which the experts say the odds are even. changed says
// what comes of a row at a server.
func visitsTo(l *inPlace, rng *rand.Rand, visits int,
	changed func(s sitegraph.ServerID, row *Row) bool) {
	for i := range visits {
		s := sitegraph.ServerID(rng.IntN(10))
		var row Row
		for f := range row {
			row[f] = rng.Float32()
		}
		row[fServerSize] = float32(s)
		l.ask(sitegraph.PageID(i), &row, 0, 0, 1)
		l.see(sitegraph.PageID(i), s, changed(s, &row))
	}
}

// newInPlace has begun its first round.
func newInPlace() (l inPlace) {
	l.begin(0, 0)
	return l
}

func even(rng *rand.Rand) func(sitegraph.ServerID, *Row) bool {
	return func(sitegraph.ServerID, *Row) bool { return rng.Float64() < 0.5 }
}

// What holds on all servers is learnt from a few thousand visits, and predicts.
func TestInPlaceLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	index := func(_ sitegraph.ServerID, row *Row) bool {
		if row[fDepth] > 0.5 {
			return rng.Float64() < 0.9
		}
		return rng.Float64() < 0.1
	}
	l := newInPlace()
	visitsTo(&l, rng, leastExamples-1, index)
	if l.begin(100, 0) {
		t.Fatal("learnt from too few visits")
	}
	visitsTo(&l, rng, 1, index)
	if !l.begin(100, 0) || l.record.Version != 1 {
		t.Fatalf("not learnt: %+v", l.record)
	}
	if r := l.record; !(r.Loss < 0.8*r.LossBefore) || math.Abs(r.LossBefore-math.Ln2) > 1e-3 ||
		r.Examples+r.HeldOut != leastExamples {
		t.Errorf("record %+v", r)
	}
	var row Row
	row[fDepth] = 0.9
	deep := l.adds(&row)
	row[fDepth] = 0.1
	if top := l.adds(&row); deep < 0.5 || top > -0.5 {
		t.Errorf("log odds %g and %g", deep, top)
	}
	if l.begin(101, 0) {
		t.Error("learnt again after a day and no visits")
	}
}

// Where the experts are right already, hardly anything is adopted: what is by chance is dropped
// when it proves worse.
func TestInPlaceRefusesNoise(t *testing.T) {
	t.Parallel()
	skipLong(t)
	refused := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		l := newInPlace()
		visitsTo(&l, rng, 3000, even(rng))
		if !l.begin(100, 0) {
			refused += l.record.Refused
		}
	}
	if refused < 15 {
		t.Errorf("%d of 20 forests that know nothing were refused", refused)
	}
}

// One server that lies about its changes persuades nobody; a second and a third do.
func TestInPlaceRefusesALiar(t *testing.T) {
	for liars, adopted := range map[sitegraph.ServerID]bool{1: false, 4: true} {
		rng := rand.New(rand.NewPCG(4, 4))
		l := newInPlace()
		visitsTo(&l, rng, 6000, func(s sitegraph.ServerID, _ *Row) bool {
			return s < liars || rng.Float64() < 0.5
		})
		if l.begin(100, 0) != adopted {
			t.Errorf("%d servers that change at each visit: %+v", liars, l.record)
		}
	}
}

// What turns worse is dropped; what stays right is not.
func TestInPlaceDrops(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	holds := true
	rule := func(_ sitegraph.ServerID, row *Row) bool { return (row[fDepth] > 0.5) == holds }
	l := newInPlace()
	visitsTo(&l, rng, 2000, rule)
	if !l.begin(100, 0) {
		t.Fatalf("not learnt: %+v", l.record)
	}
	visitsTo(&l, rng, 2*trialVisits, rule)
	if l.begin(101, 0); l.forest == nil {
		t.Fatal("dropped what is right")
	}
	holds = false
	visitsTo(&l, rng, 4*trialVisits, rule)
	if l.begin(102, 0); l.forest != nil || l.record.Dropped != 1 {
		t.Errorf("kept what is wrong: %+v", l.record)
	}
	var row Row
	if l.adds(&row) != 0 {
		t.Error("nothing is learnt, and something is added")
	}
}

// Memory is bounded, the newest examples are kept, and of many visits some.
func TestInPlaceBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	l := newInPlace()
	l.fitted = 1 << 40 // nothing is learnt
	visitsTo(&l, rng, mostExamples+10, even(rng))
	if len(l.examples) != mostExamples || l.next != 10 || len(l.asked) != 0 {
		t.Errorf("%d examples, the next at %d, %d asked", len(l.examples), l.next, len(l.asked))
	}
	perDay := 10.0 * mostExamples / exampleDays
	l.begin(0, perDay)
	before := l.seen
	visitsTo(&l, rng, 10_000, even(rng))
	if n := l.seen - before; n < 900 || n > 1100 {
		t.Errorf("%d of 10000 visits became examples, want a tenth", n)
	}
}

// Of many visits to a few pages, too, some become examples.
func TestInPlaceSamplesFewPages(t *testing.T) {
	l := newInPlace()
	l.begin(0, 100.0*mostExamples/exampleDays)
	for i := range 100_000 {
		p := sitegraph.PageID(i % 50)
		l.ask(p, &Row{}, 0, 0, 0)
		l.see(p, 0, false)
	}
	if l.seen < 900 || l.seen > 1100 {
		t.Errorf("%d of 100000 visits to 50 pages became examples, want a hundredth", l.seen)
	}
}

// A probe that stands for many pages counts more than a visit, up to a bound.
func TestProbesCountMore(t *testing.T) {
	l := newInPlace()
	for drawnFrom, want := range map[int]float32{0: 1, 1: 1, 16: 4, 1 << 30: mostProbeWeight} {
		l.ask(1, &Row{}, 0, 0, drawnFrom)
		if got := l.asked[1].weight; got != want {
			t.Errorf("of %d pages: weight %g, want %g", drawnFrom, got, want)
		}
	}
}
