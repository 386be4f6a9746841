package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/schedule"
)

// Target is the target of a plan.
type Target struct {
	Name  string // intervals or freshness
	Value float64
}

// ParseTarget reads "intervals=2" (all intervals twice as long as wanted) or "freshness=0.8" (the
// share of time in which a copy is fresh, if a page changes once in its interval).
func ParseTarget(text string) (Target, error) {
	name, value, ok := strings.Cut(text, "=")
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case !ok || err != nil:
	case name == "intervals" && v > 0 && v <= 1e6:
		return Target{name, v}, nil
	case name == "freshness" && v > 0 && v < 1:
		return Target{name, v}, nil
	}
	return Target{}, fmt.Errorf("target %q: want intervals=FACTOR, above 0, or freshness=SHARE, "+
		"from 0 to 1", text)
}

// factor returns the factor for all wanted intervals.
func (t Target) factor() float64 {
	if t.Name == "intervals" {
		return t.Value
	}
	low, high := 1e-6, 1e6
	for range 200 {
		if mid := math.Sqrt(low * high); estimator.Freshness(mid) > t.Value {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// PlanOptions configure Size.
type PlanOptions struct {
	Target      Target
	PageBytes   float64
	Connections int     // of a node
	Mbps        float64 // of a node
	Delay       schedule.Tick
	Hours       float64 // simulated time to find the least pool; 0: no simulation
	Seed        uint64
	// Told gets the number of simulations made, and their total as far as it is known.
	Told func(done, total int)
}

// Plan is the output of schedule plan: what a target needs.
type Plan struct {
	Source  string  `json:"source"`
	Target  string  `json:"target"`
	Factor  float64 `json:"factor"` // for the wanted intervals
	Servers int     `json:"servers"`
	// Infeasible servers are left out: no number of connections helps; see ScheduleReport.
	Infeasible int   `json:"infeasible"`
	PerDay     Range `json:"visits_per_day"`
	Need       Range `json:"need"`  // sum of min(e/I, 1)
	Bound      Range `json:"bound"` // certainly too few below it
	Ample      Range `json:"ample"` // about none missed: three times the bound
	Proved     int   `json:"proved"`
	// Simulated is the least pool without a miss, by EDF; null: not simulated.
	Simulated *Range `json:"simulated"`
	Mbps      Range  `json:"mbps"`
	Nodes     Range  `json:"nodes"`
	By        string `json:"nodes_by"` // what limits their number: connections or bandwidth
	Resamples int    `json:"resamples"`
}

const planResamples = 200

// Size plans for a target. Values are for the feasible servers. The spread is the 5th to 95th
// percentile over 200 resamples of the servers. The simulated pool is found for three of them.
func Size(ctx context.Context, s *Source, o PlanOptions) (*Plan, error) {
	demands := s.Demands
	p := &Plan{Source: s.Name, Target: fmt.Sprintf("%s=%g", o.Target.Name, o.Target.Value),
		Factor: o.Target.factor(), Servers: len(demands), Resamples: planResamples}
	scaled := make([]schedule.Demand, 0, len(demands))
	for i := range demands {
		d := demands[i]
		d.Pages = append([]schedule.Pages(nil), d.Pages...)
		for k := range d.Pages {
			d.Pages[k].Interval = schedule.Tick(math.Ceil(float64(d.Pages[k].Interval) * p.Factor))
		}
		if v := schedule.Judge(&d); v.Class.Infeasible() {
			p.Infeasible++
			continue
		} else if v.Interval > 0 {
			scaled = append(scaled, d)
		}
	}
	if len(scaled) == 0 {
		return nil, fmt.Errorf("plan from %s: no server of it has an interval that can be kept; "+
			"schedule report says why", s.Name)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x9147))
	p.size(scaled, rng, o)
	p.Proved = schedule.Prove(scaled).Connections
	if o.Hours > 0 {
		found, err := leastPool(ctx, scaled, rng, o)
		p.Simulated = &found
		return p, err
	}
	return p, nil
}

// size computes everything from sums over the servers.
func (p *Plan) size(demands []schedule.Demand, rng *rand.Rand, o PlanOptions) {
	rate, share := make([]float64, len(demands)), make([]float64, len(demands))
	for i := range demands {
		d := &demands[i]
		interval := d.Interval()
		rate[i] = float64(schedule.Day) / float64(interval)
		share[i] = schedule.ShareOf(d.Times.Mean, interval).Connections()
	}
	type sums struct{ rate, need float64 }
	draw := func(index func(i int) int) (s sums) {
		for i := range demands {
			k := index(i)
			s.rate += rate[k]
			s.need += share[k]
		}
		return s
	}
	all := []sums{draw(func(i int) int { return i })}
	for range planResamples {
		all = append(all, draw(func(int) int { return rng.IntN(len(demands)) }))
	}
	over := func(of func(s sums) float64) Range {
		var values []float64
		for _, s := range all[1:] {
			values = append(values, of(s))
		}
		return percentiles(of(all[0]), values)
	}
	mbps := func(s sums) float64 { return s.rate * o.PageBytes * 8 / 86_400 / 1e6 }
	bound := func(s sums) float64 { return math.Ceil(s.need) }
	byPool := func(s sums) float64 {
		return math.Ceil(schedule.Ample * bound(s) / float64(o.Connections))
	}
	byLine := func(s sums) float64 { return math.Ceil(mbps(s) / o.Mbps) }
	p.PerDay, p.Need, p.Mbps = over(func(s sums) float64 { return s.rate }),
		over(func(s sums) float64 { return s.need }), over(mbps)
	p.Bound, p.Ample = over(bound), over(func(s sums) float64 { return schedule.Ample * bound(s) })
	p.Nodes = over(func(s sums) float64 { return math.Max(byPool(s), byLine(s)) })
	if p.By = "connections"; byLine(all[0]) > byPool(all[0]) {
		p.By = "bandwidth"
	}
}

// leastPool finds by simulation the least pool with which EDF misses nothing, for the servers and
// two resamples. All downloads take the mean time, except one in sixteen, which takes the longest.
func leastPool(ctx context.Context, demands []schedule.Demand, rng *rand.Rand, o PlanOptions) (
	Range, error) {
	var all []float64
	search := &poolSearch{PlanOptions: o}
	for resample := range simulatedPools {
		w := &schedule.Web{PageBytes: o.PageBytes}
		for i := range demands {
			d := &demands[i]
			if resample > 0 {
				d = &demands[rng.IntN(len(demands))]
			}
			w.Add(d.Name, d.Load().Interval(), logOf(d.Times))
		}
		search.rest = simulatedPools - 1 - resample
		least, err := search.of(ctx, w)
		if err != nil {
			return Range{}, err
		}
		all = append(all, float64(least))
	}
	r := spreadOf(all)
	r.Value = eval.Number(all[0])
	return r, nil
}

// logOf returns a log with the mean and the longest download of a server, as exactly as 16
// downloads allow.
func logOf(t schedule.Times) []uint32 {
	const n = 16
	took := make([]uint32, n)
	rest := max((int64(t.Mean)*n-int64(t.Max))/(n-1), 1)
	for i := range took {
		took[i] = uint32(rest)
	}
	took[n/2] = uint32(max(t.Max, 1))
	return took
}

// simulatedPools is the number of pools for the spread.
const simulatedPools = 3

// poolSearch searches for least pools in turn.
type poolSearch struct {
	PlanOptions
	done int // simulations
	each int // simulations of the last pool; 0: none found yet
	rest int // pools after this one
}

// reportProgress reports the progress when left simulations of this pool remain. It assumes that
// later pools take as many as the last one.
func (s *poolSearch) reportProgress(left, ofThis int) {
	s.done++
	if s.Told != nil {
		s.Told(s.done, s.done+left+s.rest*cmp.Or(s.each, ofThis))
	}
}

// of doubles a pool until it misses nothing, and then halves the distance to the largest pool with
// misses.
func (s *poolSearch) of(ctx context.Context, w *schedule.Web) (int, error) {
	o, before := &s.PlanOptions, s.done
	missed := func(connections int) (int64, error) {
		r, err := schedule.Simulate(ctx, w, schedule.SimulateOptions{Policy: schedule.EDF,
			Connections: connections, Least: o.Delay,
			Duration: schedule.Tick(o.Hours * float64(schedule.Hour))})
		return r.By.ToPool, err
	}
	low, high := 0, 1
	for {
		n, err := missed(high)
		if err != nil {
			return 0, err
		}
		s.reportProgress(bits.Len(uint(high-low-1)), 2*bits.Len(uint(high)))
		if n == 0 || high > len(w.Servers) {
			break
		}
		low, high = high, 2*high
	}
	for high-low > 1 {
		mid := (low + high) / 2
		n, err := missed(mid)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			high = mid
		} else {
			low = mid
		}
		s.reportProgress(bits.Len(uint(high-low-1)), s.done+1-before)
	}
	s.each = s.done - before
	return high, nil
}
