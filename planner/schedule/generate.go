package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Shapes that the published numbers leave open.
const (
	// belowDay is the exponent of the share of servers with intervals below x, from a minute to a
	// day: half a power, which puts 38 % below a day ("many above" [HIER 3.1]).
	belowDay = 0.5
	// longestInterval: three downloads in 300 days [HIER 3.2].
	longestInterval = 100 * float64(Day)
	// fastest: infeasible servers want about as many visits as all others ([HIER 3.2] doubles the
	// bandwidth for them), at intervals from 1.5 s on.
	fastest = 1.5 * float64(Second)
	// pause leaves feasible servers the time of their longest download. Otherwise the zero misses
	// of [HIER fig. 7] would be impossible.
	pause = float64(Second)
)

// Generate returns a web of 1000 or more servers with the numbers of OfPaper, in proportion.
// Servers are drawn by strata of the distributions, and scaled to meet the sums of the paper.
func Generate(servers int, seed uint64) (*Web, error) {
	if servers < 1000 {
		return nil, fmt.Errorf("generate %d servers: want 1000 or more, the classes are rare",
			servers)
	}
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0x41E2)),
		scale: float64(servers) / float64(OfPaper.Servers)}
	g.infeasible = int(math.Round(float64(OfPaper.Infeasible) * g.scale))
	g.steady = max(int(math.Round(8*g.scale)), 1)
	g.infeasible = max(g.infeasible, g.steady+1)
	g.make(servers)
	return g.web(), nil
}

type generator struct {
	rng                *rand.Rand
	scale              float64
	steady, infeasible int // their numbers: the first of all
	drawn              []drawn
}

// drawn is a server that is being generated, in ticks.
type drawn struct {
	interval, mean, longest float64
}

func (g *generator) make(servers int) {
	g.drawn = make([]drawn, servers)
	g.steadyServers(g.drawn[:g.steady])
	g.temporaryServers(g.drawn[g.steady:g.infeasible])
	g.feasibleServers(g.drawn[g.infeasible:])
}

// strata returns n numbers in (0, 1), one drawn from each nth part, in order.
func (g *generator) strata(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = (float64(i) + g.rng.Float64()) / float64(n)
	}
	return all
}

func (g *generator) logNormal(sigma float64) float64 {
	return math.Exp(sigma * g.rng.NormFloat64())
}

// steadyServers would have to be asked about each second, and take several seconds.
func (g *generator) steadyServers(all []drawn) {
	for i, u := range g.strata(len(all)) {
		interval := float64(Second) * (1 + u)
		mean := interval * (2 + 4*g.rng.Float64())
		all[i] = drawn{interval, mean, mean * (3 + 5*g.rng.Float64())}
	}
}

// temporaryServers have a longest download beyond their interval. Together they need the difference
// of the two published bounds, 62 - 28 connections, minus the need of the steady ones.
func (g *generator) temporaryServers(all []drawn) {
	need := 0.0
	for i, u := range g.strata(len(all)) {
		// evenly on a logarithmic scale, to a minute
		interval := fastest * math.Pow(60_000/fastest, u)
		mean := interval * math.Min(0.06*g.logNormal(0.7), 0.6)
		all[i] = drawn{interval, mean, interval * (1.05 + 2*g.rng.Float64())}
		need += mean / interval
	}
	want := (61.5-27.5)*g.scale - float64(g.steady)
	if want <= 0 {
		want = 25.0 / 372 * float64(len(all))
	}
	for i := range all {
		all[i].mean = math.Min(all[i].mean*want/need, 0.9*all[i].interval)
	}
}

// feasibleServers are all others.
func (g *generator) feasibleServers(all []drawn) {
	fast := int(0.01*float64(len(g.drawn))) - g.infeasible // within a minute
	fast = max(fast, len(all)/500)
	strata := g.strata(fast)
	// The exponent below a minute decides the number of visits a day.
	low, high := 0.02, 30.0
	for range 60 {
		mid := (low + high) / 2
		if g.rest(all, strata, mid) > OfPaper.PerDay*g.scale {
			low = mid
		} else {
			high = mid
		}
	}
	g.rest(all, strata, high)
	g.slowServers(all[fast:])
	g.downloads(all, fast)
}

// rest draws the intervals below a minute, for a power of the share below x. It returns the visits
// a day that all feasible servers then want, including those above a minute, whose density is the
// same for all exponents.
func (g *generator) rest(all []drawn, strata []float64, power float64) float64 {
	least := 2.5 * float64(Second)
	sum := 0.0
	for i, u := range strata {
		low := math.Pow(least/60_000, power)
		x := 60_000 * math.Pow(low+u*(1-low), 1/power)
		all[i].interval = x
		sum += float64(Day) / x
	}
	return sum + g.slowPerDay(len(all)-len(strata), len(all))
}

// belowDayShare is the share of all servers with intervals between a minute and a day.
var belowDayShare = 0.01 * (math.Pow(float64(Day)/60_000, belowDay) - 1)

// slowPerDay returns the visits a day that the servers above a minute want, by the density of their
// intervals.
func (g *generator) slowPerDay(slow, all int) float64 {
	between := belowDayShare * float64(all)
	// The mean of 1/x for the density x^(b-1) from a minute to a day.
	a, b, p := 60_000.0, float64(Day), belowDay
	mean := p / (p - 1) * (math.Pow(b, p-1) - math.Pow(a, p-1)) / (math.Pow(b, p) - math.Pow(a, p))
	return float64(Day) * (between*mean +
		(float64(slow)-between)/(6*float64(Day)))
}

// slowServers draws intervals above a minute: by the power to a day, beyond it exponential, with
// the mean that all servers together need.
func (g *generator) slowServers(all []drawn) {
	between := int(belowDayShare * float64(len(g.drawn)))
	sum := 0.0
	for i := range g.drawn {
		sum += g.drawn[i].interval // of those that have one
	}
	p := belowDay
	a, b := math.Pow(60_000, p), math.Pow(float64(Day), p)
	for i, u := range g.strata(between) {
		all[i].interval = math.Pow(a+u*(b-a), 1/p)
		sum += all[i].interval
	}
	above := all[between:]
	day := float64(Day)
	left := OfPaper.MeanInterval*day*float64(len(g.drawn)) - sum
	beyond := left/float64(len(above)) - day
	for i, u := range g.strata(len(above)) {
		above[i].interval = math.Min(day-beyond*math.Log1p(-u), longestInterval)
	}
}

// downloads draws the download times of feasible servers: log-normal means with the published mean
// over all servers. Frequent servers are quick, so that the need is 27.5 of 28 connections; they
// leave room for their longest download and the pause.
func (g *generator) downloads(all []drawn, fast int) {
	sum, need := 0.0, 0.0
	for i := range all {
		all[i].mean = g.logNormal(0.8)
		sum += all[i].mean
	}
	known := 0.0
	for _, d := range g.drawn[:g.infeasible] {
		known += d.mean
	}
	scale := (OfPaper.MeanTook*float64(Second)*float64(len(g.drawn)) - known) / sum
	for i := range all {
		all[i].mean *= scale
		need += all[i].mean / all[i].interval * boolFloat(i >= fast)
	}
	want := 27.5*g.scale - need
	for range 20 { // servers at their limit leave more to the others
		quick := 0.0
		for i := range all[:fast] {
			quick += all[i].mean / all[i].interval
		}
		for i := range all[:fast] {
			d := &all[i]
			d.mean = math.Min(d.mean*want/quick, 0.35*(d.interval-pause))
		}
	}
	g.longest(all)
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// longest draws the longest downloads, with the published mean over all servers.
func (g *generator) longest(all []drawn) {
	known := 0.0
	for _, d := range g.drawn[:g.infeasible] {
		known += d.longest
	}
	want := OfPaper.MeanLongest*float64(Second)*float64(len(g.drawn)) - known
	ratio := make([]float64, len(all))
	for i := range ratio {
		ratio[i] = g.logNormal(0.9)
	}
	factor := 4.0
	for range 30 {
		sum := 0.0
		for i := range all {
			d := &all[i]
			d.longest = math.Min(d.mean*(1.2+factor*ratio[i]), 0.8*(d.interval-pause))
			d.longest = math.Max(d.longest, d.mean)
			sum += d.longest
		}
		factor *= want / sum
	}
}

// web draws the logs: one download as long as the longest, and others that give the mean.
func (g *generator) web() *Web {
	w := &Web{PageBytes: PageBytes}
	var took []uint32
	for i, d := range g.drawn {
		// 28 days [HIER 3.1]
		n := int(math.Min(math.Max(28*float64(Day)/d.interval, 16), 4000))
		n = max(n, int(2*d.longest/d.mean)+1)
		took = took[:0]
		sum := 0.0
		rest := (d.mean*float64(n) - d.longest) / float64(n-1)
		for range n - 1 {
			x := math.Min(rest*g.logNormal(0.5)*math.Exp(-0.125), d.longest)
			took = append(took, uint32(math.Max(math.Round(x), 1)))
			sum += x
		}
		took = append(took, uint32(math.Round(d.longest)))
		g.rng.Shuffle(n, func(i, j int) { took[i], took[j] = took[j], took[i] })
		w.Add(fmt.Sprintf("s%06d.example", i), Tick(math.Round(d.interval)), took)
	}
	return w
}
