package papers

import (
	"math"
	"slices"
)

// noChange is the largest difference of two coverages that count as equal: no result depends on
// less.
const noChange = 0.05

var (
	positive     = Above(0)
	negative     = Wanted{"below 0", math.Inf(-1), 0, true}
	twice        = AtLeast(2)
	twoToThree   = Between(2, 3)
	aboutTwo     = Between(1.5, 2.5)
	seventies    = Between(0.7, 0.8)
	sixties      = Between(0.6, 0.7)
	fortyPercent = AtLeast(0.4)
	same         = Between(-noChange, noChange)
)

// The paper's short and long periods.
const (
	shortWeeks = 4
	longWeeks  = 12
)

// claims returns the claims of the paper before their verdicts. The package comment defines them.
func claims(periods []*counted, month *counted, groups []group, thresholds []float64) []Claim {
	short, long := split(periods)
	return slices.Concat(
		ratesOfMethods(periods, short),
		[]Claim{inGroups(month, groups)},
		againstBreadthFirst(periods, month),
		againstServers(periods, short, long),
		combinations(periods, thresholds))
}

// split returns the short and the long periods.
func split(periods []*counted) (short, long []*counted) {
	for _, p := range periods {
		if p.weeks <= shortWeeks {
			short = append(short, p)
		}
		if p.weeks >= longWeeks {
			long = append(long, p)
		}
	}
	return short, long
}

// compare returns a comparison for one period.
func (p *counted) compare(name string, of statistic, w Wanted, share bool) Comparison {
	_, changing := p.servers(p.once())
	return Comparison{Comparison: name, Weeks: p.weeks, wanted: w, Share: share, servers: changing,
		of: of}
}

// difference compares two shares, quotient two numbers.
func (p *counted) difference(name string, a, b statistic, w Wanted) Comparison {
	return p.compare(name, minus(a, b), w, true)
}

func (p *counted) quotient(name string, a, b statistic, w Wanted) Comparison {
	return p.compare(name, over(a, b), w, false)
}

// ratesOfMethods returns the claims on update rate and coverage by period.
func ratesOfMethods(periods, short []*counted) []Claim {
	higher := Claim{
		Claim:  "A, B and C each have a higher update rate than the whole, at every period",
		Source: "[LINK fig. 5]",
	}
	times := Claim{
		Claim:  "at short periods A, B and C have 2 to 3 times the update rate of the whole",
		Source: "[LINK fig. 5]",
	}
	average := Claim{
		Claim:  "C has about twice the update rate of the whole, on average over the periods",
		Source: "[LINK fig. 5]",
	}
	trade := Claim{
		Claim: "a higher update rate goes with a lower coverage: C, B, A by rate, A, B, C by " +
			"coverage",
		Source: "[LINK fig. 5, 6]",
	}
	covers := Claim{
		Claim:  "C covers 70 to 80 % of the changed pages, at every period",
		Source: "[LINK fig. 6]",
	}
	var ofC []statistic
	for _, p := range periods {
		for _, m := range PaperPolicies {
			higher.Found = append(
				higher.Found,
				p.difference("update rate of "+m+" - whole", p.updateRate(m), p.updateRate(Whole),
					positive),
			)
		}
		ofC = append(ofC, over(p.updateRate("c"), p.updateRate(Whole)))
		trade.Found = append(trade.Found,
			p.difference("update rate of c - b", p.updateRate("c"), p.updateRate("b"), positive),
			p.difference("update rate of b - a", p.updateRate("b"), p.updateRate("a"), positive),
			p.difference("coverage of a - b", p.coverage("a"), p.coverage("b"), positive),
			p.difference("coverage of b - c", p.coverage("b"), p.coverage("c"), positive))
		covers.Found = append(covers.Found, p.compare("coverage of c", p.coverage("c"), seventies,
			true))
	}
	for _, p := range short {
		for _, m := range PaperPolicies {
			times.Found = append(
				times.Found,
				p.quotient("update rate of "+m+" / whole", p.updateRate(m), p.updateRate(Whole),
					twoToThree),
			)
		}
	}
	overall := periods[0].compare("update rate of c / whole", mean(ofC), aboutTwo, false)
	overall.Weeks = 0
	average.Found = []Comparison{overall}
	return []Claim{higher, times, average, trade, covers}
}

// inGroups returns the claim on groups, without groups that are too small.
func inGroups(p *counted, groups []group) Claim {
	c := Claim{
		Claim:  "in every group of servers C, B, A and the whole follow by update rate",
		Source: "[LINK fig. 7]",
	}
	order := []string{"c", "b", "a", Whole}
	for _, g := range groups {
		in := p.in(g)
		_, changing := in.servers(in.once())
		if changing < LeastServers {
			continue
		}
		for i, m := range order[:len(order)-1] {
			next := order[i+1]
			found := p.difference(
				"update rate of "+m+" - "+next,
				g.of(in.updateRate(m)),
				g.of(in.updateRate(next)),
				positive,
			)
			found.Group, found.servers = g.name, changing
			c.Found = append(c.Found, found)
		}
	}
	return c
}

// againstBreadthFirst returns the claims on breadth-first order.
func againstBreadthFirst(periods []*counted, month *counted) []Claim {
	random := Claim{
		Claim:  "breadth-first finds changed pages sooner than random order",
		Source: "[LINK fig. 9]",
		Found: []Comparison{month.compare("area above random order", month.aboveRandom, positive,
			true)},
	}
	more := Claim{
		Claim:  "A, B and C cover more than breadth-first with as many pages",
		Source: "[LINK fig. 9]",
	}
	for _, m := range PaperPolicies {
		more.Found = append(more.Found, month.difference("coverage of "+m+" - breadth-first",
			month.coverage(m), month.coverageOf((*counted).breadthFirst, m), positive))
	}
	double := Claim{
		Claim:  "A, B and C have at least twice the update rate of breadth-first with as many pages",
		Source: "[LINK 6.3.2]",
	}
	for _, p := range periods {
		for _, m := range PaperPolicies { // rates are proportional to coverages
			double.Found = append(double.Found, p.quotient("update rate of "+m+" / breadth-first",
				p.coverage(m), p.coverageOf((*counted).breadthFirst, m), twice))
		}
	}
	return []Claim{random, more, double}
}

// againstServers returns the claims on whole servers by their true rate.
func againstServers(periods, short, long []*counted) []Claim {
	tenth := Claim{
		Claim: "servers with a rate of 10 % or more give a coverage of 60 to 70 %, an update " +
			"rate of 40 % or more",
		Source: "[LINK fig. 12, 13]",
	}
	for _, p := range periods {
		tenth.Found = append(tenth.Found,
			p.compare("coverage", p.thresholdCoverage(leastRate), sixties, true),
			p.compare("update rate", p.thresholdRate(leastRate), fortyPercent, true))
	}
	better := Claim{
		Claim: "at short periods whole servers by rate cover more than A, B and C with as " +
			"many pages",
		Source: "[LINK fig. 14, 15]",
	}
	alike := Claim{
		Claim: "at long periods whole servers by rate cover as much as A, B and C with as " +
			"many pages",
		Source: "[LINK fig. 16, 17]",
	}
	for _, part := range []struct {
		claim   *Claim
		periods []*counted
		want    Wanted
	}{{&better, short, positive}, {&alike, long, same}} {
		for _, p := range part.periods {
			for _, m := range PaperPolicies {
				part.claim.Found = append(part.claim.Found,
					p.difference("coverage of server-true - "+m,
						p.coverageOf((*counted).byServers, m), p.coverage(m), part.want))
			}
		}
	}
	return []Claim{tenth, better, alike}
}

// combinations returns the claims on methods inside servers chosen by rate.
func combinations(periods []*counted, thresholds []float64) []Claim {
	alone := Claim{
		Claim:  "below 4 weeks whole servers by rate are better alone than with A, B or C inside",
		Source: "[LINK fig. 18]",
	}
	withA := Claim{
		Claim: "from 4 weeks on, below 12, whole servers by rate are better with A inside " +
			"than alone",
		Source: "[LINK fig. 18]",
	}
	withAB := Claim{
		Claim:  "at long periods whole servers by rate are better with A or B inside than alone",
		Source: "[LINK fig. 18]",
	}
	withC := Claim{
		Claim:  "whole servers by rate are worse with C inside than alone",
		Source: "[LINK fig. 18]",
	}
	for _, p := range periods {
		gain := func(m string) statistic { return p.combined(m, thresholds) }
		add := func(c *Claim, name string, of statistic, w Wanted) {
			c.Found = append(
				c.Found,
				p.compare("coverage of server-true+"+name+" - server-true", of, w, true),
			)
		}
		switch {
		case p.weeks < shortWeeks:
			for _, m := range PaperPolicies {
				add(&alone, m, gain(m), negative)
			}
		case p.weeks < longWeeks:
			add(&withA, "a", gain("a"), positive)
		default:
			add(&withAB, "a or b", larger(gain("a"), gain("b")), positive)
		}
		add(&withC, "c", gain("c"), negative)
	}
	return []Claim{alone, withA, withAB, withC}
}
