package synth

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// plan is the plan for a server before its pages are made.
type plan struct {
	domain     Domain
	pages      int     // at the start of the window
	topPerWeek float64 // updates of the top page
	activity   float64 // factor for the domain's mix; its page-weighted mean in a domain is 1
	mix        mix     // of the domain, without the part of top pages
	rebuild    bool    // the template of all pages changes once
}

// census makes the plans of all servers. All draws are stratified by rank: so a web of sixty
// servers has about the mixture of the 17,613 in [LINK].
func census(o Options) []plan {
	rng := rand.New(rand.NewPCG(o.Seed, 0x63656e737573))
	var plans []plan
	for d, n := range quotas(o.Servers) {
		for range n {
			plans = append(plans, plan{domain: Domain(d)})
		}
	}
	drawSizes(plans, o.Pages, rng)
	drawTops(plans, rng)
	drawActivities(plans, rng)
	setMixes(plans)
	drawRebuilds(plans, rng)
	rng.Shuffle(len(plans), func(i, j int) { plans[i], plans[j] = plans[j], plans[i] })
	return plans
}

// quotas divides n servers among the domains as in [LINK table 1], by largest remainder. From
// twelve servers on every domain has one.
func quotas(n int) [domains]int {
	var q [domains]int
	var total float64
	for _, s := range paperServers {
		total += s
	}
	left := n
	for d := AC; d < domains; d++ {
		q[d] = int(paperServers[d] / total * float64(n))
		if q[d] == 0 && n >= 12 {
			q[d] = 1
		}
		left -= q[d]
	}
	for ; left > 0; left-- {
		missing := func(d Domain) float64 {
			return paperServers[d]/total*float64(n) - float64(q[d])
		}
		best := CO
		for d := AC; d < domains; d++ {
			if missing(d) > missing(best) {
				best = d
			}
		}
		q[best]++
	}
	for ; left < 0; left++ {
		q[CO]--
	}
	return q
}

// drawSizes draws log-normal sizes with the means of [LINK table 1], scaled to add up to about
// pages.
func drawSizes(plans []plan, pages int, rng *rand.Rand) {
	sizes := make([]float64, len(plans))
	for i := 0; i < len(plans); {
		d := plans[i].domain
		n := 0
		for i+n < len(plans) && plans[i+n].domain == d {
			n++
		}
		sigma := 1.35 // skewed: a sixth of the servers has half of the pages
		if n < 4 {
			sigma = 0.4 // too few for a distribution; stay near the mean
		}
		var sum float64
		for k := range n {
			z := normalQuantile((float64(k) + 0.1 + 0.8*rng.Float64()) / float64(n))
			sizes[i+k] = math.Exp(sigma * min(z, 2.3))
			sum += sizes[i+k]
		}
		for k := range n {
			sizes[i+k] *= paperPages[d] / paperServers[d] * float64(n) / sum
		}
		i += n
	}
	var sum float64
	for _, v := range sizes {
		sum += v
	}
	for i := range plans {
		plans[i].pages = max(2, int(math.Round(sizes[i]*float64(pages)/sum)))
	}
}

// topQuantiles has the updates a week of the top page by the rank of the server, most frequent
// first; fitted to the last row of [LINK table 3].
var topQuantiles = []struct{ rank, perWeek float64 }{
	{0, 8}, {0.09, 1.6}, {0.16, 0.6}, {0.31, 0.19}, {0.46, 0.066}, {0.68, 0.022}, {1, 0.005},
}

// drawTops gives larger servers more frequent updates of their top pages. Servers with a changed
// top had 50, 68, 79 and 84 % of the pages, but were 20, 35, 52 and 66 % of the servers [LINK table
// 3].
func drawTops(plans []plan, rng *rand.Rand) {
	score := make([]float64, len(plans))
	for rank, i := range ranks(len(plans), func(i int) float64 {
		return -float64(plans[i].pages)
	}) {
		score[i] = 0.68*float64(rank)/float64(len(plans)) + 0.32*rng.Float64()
	}
	for rank, i := range ranks(len(plans), func(i int) float64 { return score[i] }) {
		q := (float64(rank) + rng.Float64()) / float64(len(plans))
		k := 1
		for k < len(topQuantiles)-1 && topQuantiles[k].rank < q {
			k++
		}
		a, b := topQuantiles[k-1], topQuantiles[k]
		x := (q - a.rank) / (b.rank - a.rank)
		plans[i].topPerWeek = a.perWeek * math.Pow(b.perWeek/a.perWeek, x)
	}
}

// drawActivities varies the servers: small ones most. Servers with an updated top page also change
// more inside.
func drawActivities(plans []plan, rng *rand.Rand) {
	var sum, pages [domains]float64
	for i := range plans {
		p := &plans[i]
		spread := 1.1 / (1 + float64(p.pages)/60)
		p.activity = math.Exp(spread*rng.NormFloat64()-spread*spread/2) * (1 +
			0.2*math.Log(p.topPerWeek/0.1))
		p.activity = max(0.1, min(4, p.activity))
		sum[p.domain] += p.activity * float64(p.pages)
		pages[p.domain] += float64(p.pages)
	}
	for i := range plans {
		plans[i].activity *= pages[plans[i].domain] / sum[plans[i].domain]
	}
}

// setMixes removes the top pages from the mix of each domain: with small servers they alone are
// most of the frequent changes.
func setMixes(plans []plan) {
	var pages, fast, medium [domains]float64
	for _, p := range plans {
		pages[p.domain] += float64(p.pages)
		switch {
		case p.topPerWeek >= 0.3:
			fast[p.domain]++
		case p.topPerWeek >= 0.08:
			medium[p.domain]++
		}
	}
	for i := range plans {
		d := plans[i].domain
		m := mixes[d]
		left := m.fast - fast[d]/pages[d]
		m.fast = max(0, left)
		m.medium = max(0, m.medium-medium[d]/pages[d]+min(0, left))
		plans[i].mix = m
	}
}

// drawRebuilds lets one in eight servers below the median size change its template. Larger ones
// change it by section: a whole one would shift the totals by points.
func drawRebuilds(plans []plan, rng *rand.Rand) {
	bySize := ranks(len(plans), func(i int) float64 { return float64(plans[i].pages) })
	for k := rng.IntN(8); k < len(plans)/2; k += 8 {
		plans[bySize[k]].rebuild = true
	}
}

// ranks returns the numbers 0..n-1 in order of their key.
func ranks(n int, key func(int) float64) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return order
}

// normalQuantile is the inverse of the standard normal distribution, 0 < p < 1.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
