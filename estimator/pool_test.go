package estimator

import (
	"iter"
	"math"
	"testing"
)

func distance(a, b *Rates) (sum float64) {
	for i := range a.Weight {
		sum += math.Abs(a.Weight[i] - b.Weight[i])
	}
	return sum / 2
}

// twoServers returns pages of server 0, slow, in sites 0 and 1, and of server 1, fast, in site 2;
// site 3 of server 1 is empty.
func twoServers(t *testing.T, seed uint64, each int) (
	pages []Grid, sites []int32, rates []float64) {
	rng := seedOf(t, seed)
	for site, rate := range []float64{0.01, 0.02, 0.5} {
		for range each {
			r := rate * math.Exp(0.3*rng.NormFloat64())
			pages = append(pages, gridOf(watched(rng, r, irregular(rng, 6, 4))))
			sites, rates = append(sites, int32(site)), append(rates, r)
		}
	}
	return pages, sites, rates
}

func over(pages []Grid, sites []int32) iter.Seq2[int32, *Grid] {
	return func(yield func(int32, *Grid) bool) {
		for i := range pages {
			if !yield(sites[i], &pages[i]) {
				return
			}
		}
	}
}

func learnt(strength float64, rounds int, pages []Grid, sites []int32) *Prior {
	p := NewPrior(DefaultRates(), strength, 2, []int32{0, 0, 1, 1})
	for range rounds {
		p.Learn(over(pages, sites))
	}
	return p
}

// Strength 0: each site stands alone. Infinite strength: all have the root's prior.
func TestPriorLimits(t *testing.T) {
	pages, sites, _ := twoServers(t, 41, 40)
	root := DefaultRates()
	alone := learnt(0, 1, pages, sites)
	for site := range int32(3) {
		var pool Pool
		for i := range pages {
			if sites[i] == site {
				posterior := pages[i].Posterior(&root)
				pool.Add(&posterior)
			}
		}
		mean := pool.Prior(&root, 0)
		if d := distance(&alone.Sites[site], &mean); d > 1e-9 {
			t.Errorf("site %d alone is off the mean of its pages by %g", site, d)
		}
		for i := range pages {
			if sites[i] == site {
				posterior := pages[i].Posterior(&root)
				pool.Remove(&posterior)
			}
		}
		if empty := pool.Prior(&root, 5); pool.Pages != 0 || distance(&empty, &root) > 1e-9 {
			t.Errorf("site %d with all pages removed is not empty: %g pages", site, pool.Pages)
		}
	}
	if d := distance(&alone.Sites[3], &alone.Servers[1]); d > 1e-12 {
		t.Errorf("the empty site is off its server by %g", d)
	}
	one := learnt(math.Inf(1), 3, pages, sites)
	for i := range one.Sites {
		if d := distance(&one.Sites[i], &root); d > 1e-12 {
			t.Errorf("infinite strength: site %d is off the root by %g", i, d)
		}
	}
	nothing := learnt(5, 4, nil, nil)
	if d := distance(&nothing.Sites[0], &root); d > 1e-12 {
		t.Errorf("nothing seen: off the root by %g", d)
	}
	// A stronger pool in between is nearer to the parent.
	var fast Pool
	for i := range pages {
		if sites[i] == 2 {
			posterior := pages[i].Posterior(&root)
			fast.Add(&posterior)
		}
	}
	before := 0.0
	for _, strength := range []float64{1e6, 1000, 100, 10, 1, 0, -1} {
		p := fast.Prior(&root, strength)
		d := distance(&p, &root)
		if d < before {
			t.Errorf("strength %g: %g from the parent, %g at a higher one", strength, d, before)
		}
		before = d
	}
}

// Steps of Learn predict the data better and better, in any order of pages. The sites' means are
// right, and pooled rates are nearer to the truth than rates under one prior.
func TestPriorLearns(t *testing.T) {
	pages, sites, rates := twoServers(t, 42, 150)
	p := NewPrior(DefaultRates(), DefaultStrength, 2, []int32{0, 0, 1, 1})
	before := math.Inf(-1)
	for round := range 12 {
		got := p.Learn(over(pages, sites))
		if round < 5 && got < before {
			t.Errorf("round %d: log evidence %g, %g before", round, got, before)
		}
		before = got
	}
	for site, want := range []float64{0.0105, 0.021, 0.52} {
		if got := p.Sites[site].Mean(); got < want/1.5 || got > want*1.5 {
			t.Errorf("site %d: mean %g, want about %g", site, got, want)
		}
	}
	last := len(pages) - 1
	back, backSites := make([]Grid, 0, last+1), make([]int32, 0, last+1)
	for i := range pages {
		back, backSites = append(back, pages[last-i]), append(backSites, sites[last-i])
	}
	a, b := learnt(5, 3, pages, sites), learnt(5, 3, back, backSites)
	for i := range a.Sites {
		if d := distance(&a.Sites[i], &b.Sites[i]); d > 1e-9 {
			t.Errorf("in another order site %d is off by %g", i, d)
		}
	}
	root := DefaultRates()
	pooled, alike := 0.0, 0.0
	for i := range pages {
		own, same := pages[i].Posterior(&p.Sites[sites[i]]), pages[i].Posterior(&root)
		pooled += math.Abs(own.Probability(7) + math.Expm1(-rates[i]*7))
		alike += math.Abs(same.Probability(7) + math.Expm1(-rates[i]*7))
	}
	if pooled > 0.8*alike {
		t.Errorf("probabilities are off by %.3f with pooling and by %.3f without",
			pooled/float64(last+1), alike/float64(last+1))
	}
}
