package value

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// The price of a number of visits is what the last of them is worth, whatever the scores are.
func TestPriceAt(t *testing.T) {
	m := newSim(t, quietWorld(3, 2, 150, 0), nil, "value",
		Settings{Mode: planner.Stream, Seed: 3, PerDay: 5}, planner.Options{})
	m.Day(1, 5)
	v := m.Planner.Policy.(*Policy)
	v.Begin(planner.Round{Number: 2, Start: simtest.At(1), End: simtest.At(2), Budget: 10})
	rng := rand.New(rand.NewPCG(1, 2))
	var worths []float32
	for p := range v.scores {
		v.scores[p].worth = float32(rng.IntN(40)) * float32(math.Pow(10, float64(rng.IntN(5)-4)))
		if v.worth(sitegraph.PageID(p)) >= 0 && v.Corpus.Refetchable(sitegraph.PageID(p)) {
			worths = append(worths, v.worth(sitegraph.PageID(p)))
		}
	}
	slices.Sort(worths)
	if len(worths) < 200 {
		t.Fatalf("%d pages may be visited", len(worths))
	}
	for visits := range len(worths) + 10 {
		got, want := v.priceAt(visits), math.NaN()
		if visits > 0 {
			want = float64(worths[max(len(worths)-visits, 0)])
		}
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("the price of %d visits is %v, want %v", visits, got, want)
		}
	}
}
