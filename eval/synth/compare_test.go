package synth

import (
	"math"
	"testing"
)

// TestNearThePaper checks the tolerances of doc.go at the size of the demo. The first row of table
// 3 for one web depends on its few largest servers: there only the mean must be near.
func TestNearThePaper(t *testing.T) {
	const seeds = 3
	var first [4]float64
	for seed := uint64(1); seed <= seeds; seed++ {
		w := New(Options{Seed: seed, Servers: 60, Pages: 3000})
		c := Compare(w, w.Start().Add(12*week))
		for i, weeks := range Periods {
			if d := c.Updated[DomainUnknown][i] - c.PaperUpdated[DomainUnknown][i]; math.Abs(
				d) > 2.5 {
				t.Errorf("[LINK table 2] total at %d weeks, seed %d: off by %.1f points",
					weeks, seed, d)
			}
			ours, theirs := c.Tops[CoverageOfUpdatedTops][i], c.PaperTops[CoverageOfUpdatedTops][i]
			first[i] += (ours - theirs) / seeds
			for row := RateOfUpdatedTops; row <= UpdatedTops; row++ {
				if d := c.Tops[row][i] - c.PaperTops[row][i]; math.Abs(d) > 12 {
					t.Errorf("[LINK table 3] %s at %d weeks, seed %d: off by %.1f points", topRowNames[row], weeks, seed, d)
				}
			}
		}
		if t.Failed() || seed == 1 {
			t.Logf("seed %d\n%v", seed, c)
		}
	}
	for i, weeks := range Periods {
		if math.Abs(first[i]) > 12 {
			t.Errorf("[LINK table 3] %s at %d weeks: off by %.1f points", topRowNames[0], weeks, first[i])
		}
	}
}

// TestDomainsNearThePaper uses a web with several servers in each domain.
func TestDomainsNearThePaper(t *testing.T) {
	w := New(Options{Seed: 1, Servers: 600, Pages: 30000})
	c := Compare(w, w.Start().Add(12*week))
	for d := AC; d < domains; d++ {
		for i, weeks := range Periods {
			if off := c.Updated[d][i] - c.PaperUpdated[d][i]; math.Abs(off) > 4 {
				t.Errorf("[LINK table 2] %v at %d weeks: off by %.1f points", d, weeks, off)
			}
		}
	}
	if t.Failed() {
		t.Logf("\n%v", c)
	}
}

func TestQuotas(t *testing.T) {
	for _, n := range []int{1, 5, 12, 60, 17613} {
		sum := 0
		for _, k := range quotas(n) {
			sum += k
		}
		if sum != n {
			t.Errorf("%d servers are shared as %v", n, quotas(n))
		}
	}
	if q := quotas(17613); q[AC] != 90 || q[CO] != 11183 || q[OR] != 2440 {
		t.Errorf("[LINK table 1] servers are %v", q)
	}
}
