package schedule

import (
	"fmt"
	"math"
	"strings"

	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/planner/schedule/simulate"
)

// Claim is one statement of [HIER 3] beside what was measured.
type Claim struct {
	What      string `json:"what"`
	Published string `json:"published"`
	Measured  string `json:"measured"`
	Holds     int    `json:"holds"` // in how many webs
	Of        int    `json:"of"`
	// Fitted: the generator was made to have this number, so that it proves nothing.
	Fitted bool `json:"fitted"`
}

// claimant looks at the simulations web by web.
type claimant struct {
	s      *Simulation
	claims []Claim
}

// Judge compares a sweep over all policies and both sets with what the paper states. webs are those
// that were simulated.
func (s *Simulation) Judge(webs []*simulate.Web) {
	c := &claimant{s: s}
	c.numbers(webs)
	if all := s.Set(AllServers); all != nil {
		c.all(all)
	}
	if feasible := s.Set(FeasibleServers); feasible != nil {
		c.feasible(feasible)
	}
	s.Claims = c.claims
}

// Set returns the result of the set of a name; nil if there is none.
func (s *Simulation) Set(name string) *SetResult {
	for i := range s.Sets {
		if s.Sets[i].Name == name {
			return &s.Sets[i]
		}
	}
	return nil
}

func (c *claimant) add(what, published string, fitted bool, measured []float64,
	holds func(web int) bool) {
	claim := Claim{What: what, Published: published, Measured: spreadOf(measured).String(),
		Of: c.s.Webs, Fitted: fitted}
	for web := range c.s.Webs {
		if holds(web) {
			claim.Holds++
		}
	}
	c.claims = append(c.claims, claim)
}

func (c *claimant) numbers(webs []*simulate.Web) {
	least := schedule.Tick(math.Round(c.s.Delay * 1000))
	var of []simulate.Published
	for _, w := range webs {
		of = append(of, w.Numbers(least))
	}
	near := func(what, published string, want, tolerance float64,
		get func(*simulate.Published) float64) {
		var all []float64
		for i := range of {
			all = append(all, get(&of[i]))
		}
		c.add(what, published, true, all, func(web int) bool {
			return math.Abs(all[web]/want-1) <= tolerance
		})
	}
	near("bound of all servers, connections", "62", 62, 0, func(p *simulate.Published) float64 {
		return float64(p.Bound)
	})
	near("bound of feasible servers", "28", 28, 0, func(p *simulate.Published) float64 {
		return float64(p.BoundFeasible)
	})
	near("mean interval, days", "5.5", 5.5, 0.02, func(p *simulate.Published) float64 {
		return p.MeanInterval
	})
	near("servers with intervals within a minute, %",
		"about 1", 1, 0.1, func(p *simulate.Published) float64 { return 100 * p.WithinMinute })
	near("mean download, s", "about 1", 1, 0.1, func(p *simulate.Published) float64 {
		return p.MeanTook
	})
	near("mean of the longest downloads, s", "5.8", 5.8, 0.02, func(p *simulate.Published) float64 {
		return p.MeanLongest
	})
	near("infeasible servers", "about 380", 380, 0.02, func(p *simulate.Published) float64 {
		return float64(p.Infeasible)
	})
	near("steadily infeasible servers", "below 10", 8, 0.2, func(p *simulate.Published) float64 {
		return float64(p.Steady)
	})
}

// missed is the share of the periods that a policy misses in a web, with the number of connections
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

// zeroFrom is the least multiple of the bound from which on a policy misses nothing; NaN: none.
func (r *SetResult) zeroFrom(policy string, web int) float64 {
	at := math.NaN()
	for i := range r.Points {
		p := &r.Points[i]
		switch {
		case p.Policy != policy:
		case p.Runs[web].Missed > 0:
			at = math.NaN()
		case math.IsNaN(at):
			at = float64(p.Connections) / float64(r.Bound)
		}
	}
	return at
}

func (c *claimant) overWebs(of func(web int) float64) (all []float64) {
	for web := range c.s.Webs {
		all = append(all, of(web))
	}
	return all
}

func (c *claimant) all(r *SetResult) {
	fall := c.overWebs(func(web int) float64 {
		return r.missed("edf", 0.5, web) / r.missed("edf", 1.25, web)
	})
	c.add("fig. 6: misses fall sharply near the bound (EDF: half the bound over 1.25 times it)",
		"sharply", false, fall, func(web int) bool { return fall[web] > 2 })
	rest := c.overWebs(func(web int) float64 {
		last := &r.Points[0]
		for i := range r.Points {
			if p := &r.Points[i]; p.Policy == "edf" && p.Connections >= last.Connections {
				last = p
			}
		}
		return float64(last.Runs[web].Missed) / c.s.Days * 300 / 1e6
	})
	c.add("fig. 6: misses that stay with any number of connections, millions in 300 days", "160",
		false, rest, func(web int) bool { return rest[web] > 80 && rest[web] < 320 })
}

func (c *claimant) feasible(r *SetResult) {
	others := []string{"edf", "fcfs", "freq", "rm"}
	scarce := c.overWebs(func(web int) float64 {
		best := math.Inf(1)
		for _, p := range others {
			best = min(best, r.missed(p, 0.75, web))
		}
		return best / r.missed("sjf", 0.75, web)
	})
	c.add("fig. 7: SJF misses least when connections are scarce (best other over SJF, 0.75 times "+
		"the bound)", "above 1", false, scarce, func(web int) bool { return scarce[web] > 1 })
	worst := c.overWebs(func(web int) float64 {
		most := 0.0
		for _, p := range []string{"edf", "fcfs", "freq", "sjf"} {
			most = max(most, r.missed(p, 0.75, web))
		}
		return r.missed("rm", 0.75, web) / most
	})
	c.add("fig. 7: RM misses slightly more than the others when scarce (RM over worst other)",
		"above 1", false, worst, func(web int) bool { return worst[web] > 1 })
	for _, p := range []string{"edf", "freq"} {
		zero := c.overWebs(func(web int) float64 { return r.zeroFrom(p, web) })
		c.add("fig. 7: "+strings.ToUpper(p)+" misses nothing from this multiple of the bound on",
			"about 3", false, zero, func(web int) bool { return zero[web] <= 4 })
	}
	for _, p := range []string{"fcfs", "rm", "sjf"} {
		left := c.overWebs(func(web int) float64 { return 1e6 * r.missed(p, 3, web) })
		c.add("fig. 7: "+strings.ToUpper(p)+" still misses at 3 times the bound, per million",
			"above 0", false, left, func(web int) bool { return left[web] > 0 })
	}
	for _, p := range []string{"sjf", "fcfs"} {
		left := c.overWebs(func(web int) float64 { return 1e6 * r.missed(p, 30, web) })
		c.add("fig. 7: "+strings.ToUpper(p)+" still misses at 30 times the bound, per million",
			"above 0", false, left, func(web int) bool { return left[web] > 0 })
	}
	last := c.overWebs(func(web int) float64 { return r.at("edf", web).PerDay / 1e6 })
	c.add("downloads a day with ample connections, millions", "4.33", true, last,
		func(web int) bool { return math.Abs(last[web]/4.33-1) < 0.03 })
	mbps := c.overWebs(func(web int) float64 { return r.at("edf", web).Mbps })
	c.add("fig. 8: throughput with ample connections, Mbps", "8.7", false, mbps,
		func(web int) bool { return math.Abs(mbps[web]/8.7-1) < 0.05 })
	total := c.overWebs(func(web int) float64 { return mbps[web] * 32 * 2 })
	c.add("bandwidth of 32 nodes, doubled for infeasible servers, Mbps", "about 550", false, total,
		func(web int) bool { return math.Abs(total[web]/550-1) < 0.1 })
}

// at is the run of a policy with the most connections.
func (r *SetResult) at(policy string, web int) *simulate.Result {
	var last *simulate.Result
	for i := range r.Points {
		if p := &r.Points[i]; p.Policy == policy &&
			(last == nil || p.Connections >= last.Connections) {
			last = &p.Runs[web]
		}
	}
	return last
}

// Verdict says in words in how many webs the claim holds.
func (c *Claim) Verdict() string {
	switch {
	case c.Holds == c.Of:
		return "holds"
	case c.Holds == 0:
		return "does not hold"
	}
	return fmt.Sprintf("holds in %d of %d webs", c.Holds, c.Of)
}
