package bench

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

var must = crashtest.Must

// TestKeys checks that the fingerprint of a host leads back to it.
func TestKeys(t *testing.T) {
	for _, host := range []uint32{0, 1, 2, 1000, 1 << 31, math.MaxUint32} {
		if got := hostOf(keyOf(host)); got != host {
			t.Errorf("host %d comes back as %d", host, got)
		}
	}
}

// TestMadeGraph checks that a generated graph has the paper's proportions, is the same each time,
// and differs for another seed.
func TestMadeGraph(t *testing.T) {
	const hosts = 100_000
	count := func(seed uint64) (linked, links, reached, lookups int, sum uint64) {
		g := newMadeGraph(hosts, seed)
		for h := range uint32(hosts) {
			to := g.links(nil, h)
			if links += len(to); len(to) > 0 {
				linked++
			}
		}
		must(t, crawl(context.Background(), g, func(block []lookup) error {
			for _, l := range block {
				if l.first {
					reached++
				}
				sum = sum*31 + l.key
			}
			lookups += len(block)
			return nil
		}))
		return
	}
	linked, links, reached, lookups, sum := count(1)
	if share := float64(linked) / hosts; math.Abs(share-paperLinked) > 0.004 {
		t.Errorf("%.4f of the hosts have links, want %.4f", share, paperLinked)
	}
	if mean := float64(links) / float64(linked); math.Abs(mean-paperDegree) > 0.15*paperDegree {
		t.Errorf("%.1f links a host that has any, want %.1f", mean, paperDegree)
	}
	if repeats := 1 - float64(reached)/float64(lookups); math.Abs(repeats-0.8705) > 0.02 ||
		reached < 3*hosts/4 {
		t.Errorf("%d of %d lookups are of new hosts: %.4f repeats, want 0.87",
			reached, lookups, repeats)
	}
	if _, _, _, _, again := count(1); again != sum {
		t.Error("the same seed makes other lookups")
	}
	if _, _, _, _, other := count(2); other == sum {
		t.Error("another seed makes the same lookups")
	}
}

// TestRunSeen makes the whole measurement on a small graph: counts add up, formulas hold, no file
// remains.
func TestRunSeen(t *testing.T) {
	dir := t.TempDir()
	o := SeenOptions{Hosts: 30_000, Seed: 3, Designs: 40_000, Counters: 1 << 16, Lowered: 50_000,
		Dir: dir}
	if testing.Short() {
		o.Hosts, o.Designs, o.Lowered = 6_000, 8_000, 10_000
	}
	r, err := RunSeen(context.Background(), o)
	must(t, err)
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("left are %v, %v", names, err)
	}
	if testing.Short() {
		return // too few for the formulas
	}
	for _, p := range r.Points {
		repeats := uint64(r.Lookups - r.Reached)
		if p.CacheHits+p.FilterHits+p.FalseNegatives != repeats {
			t.Errorf("%s %d: the accounts do not add up: %+v", p.Line, p.Size, p)
		}
		if p.AtRest > 2000 {
			// The formulas are for an endless stream of new keys; refreshed ones only lower the
			// rate.
			doubt := 0.25*p.PositiveFormula + 4*math.Sqrt(p.PositiveFormula/float64(p.AtRest))
			if p.PositiveRate > p.PositiveFormula+doubt {
				t.Errorf("%s %d: false positives %.5f, formula %.5f",
					p.Line, p.Size, p.PositiveRate, p.PositiveFormula)
			}
		}
		if p.NegativeFormula > 0 && math.Abs(p.NegativeRate-p.NegativeFormula) > 0.03 {
			t.Errorf("%s %d: false negatives %.4f, formula %.4f",
				p.Line, p.Size, p.NegativeRate, p.NegativeFormula)
		}
	}
	for _, line := range []string{LineLRU, LineCLOCK, LineWays, LineLight, LineStable, LineTags} {
		points := r.Of(line)
		if len(points) < 7 {
			t.Errorf("%s has %d points", line, len(points))
		}
		for i := 1; i < len(points); i++ {
			if points[i].Hits < points[i-1].Hits {
				t.Errorf("%s: %d has fewer hits than %d", line, points[i].Size, points[i-1].Size)
			}
		}
	}
	// [SBFL fig. 6, 7]: SBFL is below SBF in both.
	for i, light := range r.Of(LineLight) {
		if stable := r.Of(LineStable)[i]; light.FalseNegatives >= stable.FalseNegatives ||
			light.FalsePositives > stable.FalsePositives+20 {
			t.Errorf("%d counters: SBFL %d and %d false answers, SBF %d and %d",
				light.Size, light.FalsePositives, light.FalseNegatives, stable.FalsePositives,
				stable.FalseNegatives)
		}
	}
	lost := 0
	for _, d := range r.Designs {
		lost += d.Lost
		if d.Lookups != 40_000 || d.New+d.Lost-d.Again < 1000 || d.Memory <= 0 {
			t.Errorf("%+v", d)
		}
	}
	if lost == 0 || len(r.Designs) != len(seenKinds()) {
		t.Errorf("no design lost anything: %+v", r.Designs)
	}
	if len(r.Speeds) != 5 || r.Speeds[3].Ratio <= 0 {
		t.Errorf("speeds %+v", r.Speeds)
	}
	again, err := RunSeen(context.Background(), SeenOptions{Hosts: o.Hosts, Seed: o.Seed, Dir: dir})
	must(t, err)
	for i, p := range again.Points {
		if p != r.Points[i] {
			t.Errorf("the same seed: %+v, and %+v", p, r.Points[i])
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RunSeen(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
