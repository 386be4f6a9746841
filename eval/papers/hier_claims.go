package papers

import (
	"math"
	"strings"

	"github.com/recrawl/recrawl/planner/schedule"
)

// Set returns the result of the set with a name, or nil.
func (s *Simulation) Set(name string) *SetResult {
	for i := range s.Sets {
		if s.Sets[i].Name == name {
			return &s.Sets[i]
		}
	}
	return nil
}

// Judge compares a sweep over all policies and both sets with the statements of [HIER 3]. webs are
// the simulated webs.
func (s *Simulation) Judge(webs []*schedule.Web) {
	fitted := Judged("[HIER 3.1]", "the generated servers have the published numbers",
		s.numbers(webs)...)
	fitted.Fitted = true
	s.Claims = []Claim{fitted}
	if all := s.Set(AllServers); all != nil {
		s.judgeAll(all)
	}
	if feasible := s.Set(FeasibleServers); feasible != nil {
		s.judgeFeasible(feasible)
	}
}

func (s *Simulation) add(source, claim string, found ...Comparison) {
	s.Claims = append(s.Claims, Judged(source, claim, found...))
}

// measured compares a number of each web.
func (s *Simulation) measured(name string, w Wanted, of func(web int) float64) Comparison {
	values := make([]float64, s.Webs)
	for web := range values {
		values[web] = of(web)
	}
	return Measured(name, w, values...)
}

func (s *Simulation) numbers(webs []*schedule.Web) (found []Comparison) {
	least := schedule.Tick(math.Round(s.Delay * 1000))
	var of []schedule.Published
	for _, w := range webs {
		of = append(of, w.Numbers(least))
	}
	p := schedule.OfPaper
	near := func(name string, want, tolerance float64, get func(*schedule.Published) float64) {
		found = append(found, s.measured(name, Between(want*(1-tolerance), want*(1+tolerance)),
			func(web int) float64 { return get(&of[web]) }))
	}
	near("bound of all servers, connections", float64(p.Bound), 0,
		func(p *schedule.Published) float64 { return float64(p.Bound) })
	near("bound of feasible servers", float64(p.BoundFeasible), 0,
		func(p *schedule.Published) float64 { return float64(p.BoundFeasible) })
	near("mean interval, days", p.MeanInterval, 0.02,
		func(p *schedule.Published) float64 { return p.MeanInterval })
	near("servers with intervals within a minute, %", 100*p.WithinMinute, 0.1,
		func(p *schedule.Published) float64 { return 100 * p.WithinMinute })
	near("mean download, s", p.MeanTook, 0.1,
		func(p *schedule.Published) float64 { return p.MeanTook })
	near("mean of the longest downloads, s", p.MeanLongest, 0.02,
		func(p *schedule.Published) float64 { return p.MeanLongest })
	near("infeasible servers", float64(p.Infeasible), 0.02,
		func(p *schedule.Published) float64 { return float64(p.Infeasible) })
	near("steadily infeasible servers", 8, 0.2,
		func(p *schedule.Published) float64 { return float64(p.Steady) })
	near("downloads a day of feasible servers, millions", p.PerDay/1e6, 0.03,
		func(p *schedule.Published) float64 { return p.PerDay / 1e6 })
	return found
}

// missed returns the share of periods that a policy misses in a web, with the number of connections
// nearest to a multiple of the bound.
func (r *SetResult) missed(policy string, multiple float64, web int) float64 {
	best, at := math.Inf(1), math.NaN()
	for i := range r.Points {
		p := &r.Points[i]
		off := math.Abs(math.Log(float64(p.Connections) / (multiple * float64(r.Bound))))
		if p.Policy == policy && off < best {
			best, at = off, float64(p.Runs[web].Missed)/float64(max(p.Runs[web].Periods, 1))
		}
	}
	return at
}

// zeroFrom returns the least multiple of the bound from which on a policy misses nothing; +Inf:
// none.
func (r *SetResult) zeroFrom(policy string, web int) float64 {
	at := math.Inf(1)
	for i := range r.Points {
		p := &r.Points[i]
		switch {
		case p.Policy != policy:
		case p.Runs[web].Missed > 0:
			at = math.Inf(1)
		case math.IsInf(at, 1):
			at = float64(p.Connections) / float64(r.Bound)
		}
	}
	return at
}

// last returns the run of a policy with the most connections.
func (r *SetResult) last(policy string, web int) *schedule.Simulated {
	var last *Point
	for i := range r.Points {
		if p := &r.Points[i]; p.Policy == policy &&
			(last == nil || p.Connections >= last.Connections) {
			last = p
		}
	}
	return &last.Runs[web]
}

func (s *Simulation) judgeAll(r *SetResult) {
	s.add("[HIER fig. 6]", "misses fall sharply near the bound",
		s.measured("EDF, half the bound over 1.25 times it", Above(2), func(web int) float64 {
			return r.missed("edf", 0.5, web) / r.missed("edf", 1.25, web)
		}))
	s.add("[HIER fig. 6]", "160 million misses stay in 300 days with any number of connections",
		s.measured("millions", About(160), func(web int) float64 {
			return float64(r.last("edf", web).Missed) / s.Days * 300 / 1e6
		}))
}

func (s *Simulation) judgeFeasible(r *SetResult) {
	// relation returns the misses of a policy divided by the least or the most of others, at 0.75
	// times the bound.
	worst := func(web int, policies ...string) (least, most float64) {
		least = math.Inf(1)
		for _, p := range policies {
			n := r.missed(p, 0.75, web)
			least, most = min(least, n), max(most, n)
		}
		return least, most
	}
	s.add("[HIER fig. 7]", "SJF misses least when connections are scarce",
		s.measured("best other over SJF, 0.75 times the bound", Above(1), func(web int) float64 {
			least, _ := worst(web, "edf", "fcfs", "freq", "rm")
			return least / r.missed("sjf", 0.75, web)
		}))
	s.add("[HIER fig. 7]", "RM misses slightly more than the others when connections are scarce",
		s.measured("RM over the worst other, 0.75 times the bound", Above(1),
			func(web int) float64 {
				_, most := worst(web, "edf", "fcfs", "freq", "sjf")
				return r.missed("rm", 0.75, web) / most
			}))
	each := func(claim string, w Wanted, of func(policy string, web int) float64,
		policies ...string) {
		var found []Comparison
		for _, p := range policies {
			found = append(found, s.measured(strings.ToUpper(p), w, func(web int) float64 {
				return of(p, web)
			}))
		}
		s.add("[HIER fig. 7]", claim, found...)
	}
	perMillion := func(multiple float64) func(policy string, web int) float64 {
		return func(policy string, web int) float64 { return 1e6 * r.missed(policy, multiple, web) }
	}
	each("EDF and FREQ miss nothing from about 3 times the bound on", AtMost(4), r.zeroFrom, "edf",
		"freq")
	each("FCFS, RM and SJF still miss at 3 times the bound, per million", Above(0), perMillion(3),
		"fcfs", "rm", "sjf")
	each("SJF and FCFS still miss at 30 times the bound, per million", Above(0), perMillion(30),
		"sjf", "fcfs")
	mbps := func(web int) float64 { return r.last("edf", web).Mbps }
	s.add("[HIER fig. 8]", "all downloads of a node take 8.7 Mbps",
		s.measured("Mbps", Between(8.7*0.95, 8.7*1.05), mbps))
	s.add("[HIER 3.3]", "32 nodes, doubled for infeasible servers, take about 550 Mbps",
		s.measured("Mbps", Between(550*0.9, 550*1.1),
			func(web int) float64 { return mbps(web) * 32 * 2 }))
}
