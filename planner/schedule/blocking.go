package schedule

import (
	"cmp"
	"math"
	"slices"
)

// The exact test of non-preemptive EDF on one connection (Jeffay, Stanat and Martel 1991, theorem
// 4.1): servers with intervals I_1 <= I_2 <= ... and downloads of at most e_i keep all deadlines,
// whenever their periods begin, if and only if
//
//	sum of e_i/I_i <= 1, and
//	L >= e_i + sum over j < i of floor((L-1)/I_j) e_j   for all i and all L with I_1 < L < I_i
//
// where e_i on the right is the blocking: a long download that has just begun. From L on at which
// the line e_i + (sum of e_j/I_j) L is below L the second condition holds by itself.

// line has the servers that share one connection in the partition, shortest interval first.
type line struct {
	tasks []job
	need  float64
}

type job struct {
	interval, took Tick
	server         int
}

// admits reports whether the test still holds with one more server, whose interval is at least
// those of the line.
func (l *line) admits(j job) bool {
	need := l.need + float64(j.took)/float64(j.interval)
	if need > 1 {
		return false
	}
	if len(l.tasks) == 0 {
		return true
	}
	if l.need >= 1 {
		return false
	}
	// L to be checked: up to where the line of demand crosses, below j's own interval. Demand rises
	// only after multiples of intervals, so only those are checked.
	end := min(Tick(math.Ceil(float64(j.took)/(1-l.need)))+1, j.interval-1)
	first := l.tasks[0].interval
	if end <= first {
		return true
	}
	if l.demand(first+1)+j.took > first+1 {
		return false
	}
	for _, t := range l.tasks {
		if t.interval >= end {
			break // they are sorted
		}
		for at := t.interval; at < end; at += t.interval {
			if l.demand(at+1)+j.took > at+1 {
				return false
			}
		}
	}
	return true
}

// demand returns the work that the line must finish within a window of a length.
func (l *line) demand(length Tick) (sum Tick) {
	for _, t := range l.tasks {
		if t.interval >= length {
			break
		}
		sum += (length - 1) / t.interval * t.took
	}
	return sum
}

// Sufficient is a number of connections that is proved to keep all intervals of the feasible
// servers, by their longest downloads and whenever their periods begin.
type Sufficient struct {
	Connections int `json:"connections"`
	// Infeasible counts the servers that no number of connections helps, which are left out: their
	// downloads and pauses are longer than their intervals.
	Infeasible int `json:"infeasible"`
	// Need is the sum of e/I by the longest downloads, the least that a test of this kind can
	// prove.
	Need float64 `json:"need"`
	// Of has the connection of each demand, -1 for none.
	Of []int `json:"-"`
}

// Prove finds a partition of the servers over connections, each of which passes the exact test on
// its own. In the order of intervals each server goes to the first of the last few connections that
// admits it. So servers with similar intervals are together, and long downloads of rare servers
// block no frequent one.
//
// The number is sufficient; for the policy EDF over all connections together it is so only if the
// servers stay on theirs. It is not necessary: the simulator shows that a common pool, mean
// downloads and known periods need fewer. The lower bound [HIER eq. 4] says how many are certainly
// too few. Finding the least number is NP-hard.
func Prove(demands []Demand) Sufficient {
	r := Sufficient{Of: make([]int, len(demands))}
	var jobs []job
	for i := range demands {
		d := &demands[i]
		r.Of[i] = -1
		interval := d.Interval()
		if interval == 0 {
			continue
		}
		if d.Cycle(Longest) > interval {
			r.Infeasible++
			continue
		}
		took := max(d.Times.Max, d.Times.Mean)
		r.Need += float64(took) / float64(interval)
		// A download may end with its period, and the next begin I_min later: each period is
		// shorter by that.
		jobs = append(jobs, job{interval - d.Least, took, i})
	}
	slices.SortFunc(jobs, func(a, b job) int {
		return cmp.Or(cmp.Compare(a.interval, b.interval), cmp.Compare(a.server, b.server))
	})
	var lines []*line
	const open = 32 // that a server may go to: bounds the time, costs few connections
	for _, j := range jobs {
		at := -1
		for k := max(len(lines)-open, 0); k < len(lines); k++ {
			if lines[k].admits(j) {
				at = k
				break
			}
		}
		if at < 0 {
			at = len(lines)
			lines = append(lines, &line{})
		}
		l := lines[at]
		l.tasks = append(l.tasks, j)
		l.need += float64(j.took) / float64(j.interval)
		r.Of[j.server] = at
	}
	r.Connections = len(lines)
	return r
}
