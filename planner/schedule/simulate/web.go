package simulate

import (
	"math"

	"github.com/recrawl/recrawl/planner/schedule"
)

// PageBytes is the mean size of a page [HIER 3.1]: 22 KB.
const PageBytes = 22_000

// Web is the servers of a simulation.
type Web struct {
	Servers []Server
	// Took has the logs of all servers, in milliseconds: that of a server is Took[From:To].
	Took []uint32
	// PageBytes is the mean size of a page; bandwidth is told by it.
	PageBytes float64
}

// Server is one of a web.
type Server struct {
	Name     string
	Interval schedule.Tick // 1/L; 0: no visits are wanted
	From, To uint32        // its log
	Times    schedule.Times
}

// Add adds a server with its log, which must have a download or more.
func (w *Web) Add(name string, interval schedule.Tick, took []uint32) {
	s := Server{Name: name, Interval: interval, From: uint32(len(w.Took))}
	w.Took = append(w.Took, took...)
	s.To = uint32(len(w.Took))
	s.Times = timesOf(took)
	w.Servers = append(w.Servers, s)
}

func timesOf(took []uint32) schedule.Times {
	var sum, longest uint64
	for _, t := range took {
		sum += uint64(t)
		longest = max(longest, uint64(t))
	}
	n := uint64(len(took))
	return schedule.Times{Mean: schedule.Tick((sum + n/2) / n), Max: schedule.Tick(longest),
		Count: uint32(n)}
}

// Demands are the servers as the feasibility test takes them, with a page each.
func (w *Web) Demands(least schedule.Tick) []schedule.Demand {
	all := make([]schedule.Demand, len(w.Servers))
	for i := range w.Servers {
		s := &w.Servers[i]
		all[i] = schedule.Demand{Name: s.Name, Least: least, Times: s.Times,
			Pages: []schedule.Pages{{Interval: s.Interval}}}
	}
	return all
}

// Feasible is the web without the servers whose longest download takes more than their interval
// [HIER 3.1], or the pauses of politeness.
func (w *Web) Feasible(least schedule.Tick) *Web {
	out := &Web{Took: w.Took, PageBytes: w.PageBytes}
	for i := range w.Servers {
		if !w.Servers[i].Infeasible(least) {
			out.Servers = append(out.Servers, w.Servers[i])
		}
	}
	return out
}

// Infeasible reports whether a server's longest download takes more than its interval.
func (s *Server) Infeasible(least schedule.Tick) bool {
	return s.Times.Max > max(s.Interval, least)
}

// Corrected is the web with other intervals: those of demands that were made of it and corrected.
func (w *Web) Corrected(demands []schedule.Demand) *Web {
	out := &Web{Took: w.Took, PageBytes: w.PageBytes, Servers: append([]Server(nil), w.Servers...)}
	for i := range out.Servers {
		out.Servers[i].Interval = demands[i].Load().Interval()
	}
	return out
}

// Published are numbers of a web that [HIER 3.1] has for its crawl.
type Published struct {
	Servers       int     `json:"servers"`
	MeanInterval  float64 `json:"mean_interval_days"`
	WithinMinute  float64 `json:"within_a_minute"` // share of servers with I <= 60 s
	MeanTook      float64 `json:"mean_download_s"` // mean of the servers' means
	MeanLongest   float64 `json:"mean_longest_s"`  // mean of the servers' longest
	Steady        int     `json:"steadily_infeasible"`
	Infeasible    int     `json:"infeasible"` // max e/I > 1
	Bound         int     `json:"bound"`
	BoundFeasible int     `json:"bound_feasible"`
	PerDay        float64 `json:"feasible_per_day"` // downloads that feasible servers want
}

// OfPaper are the numbers of the paper.
var OfPaper = Published{82_034, 5.5, 0.01, 1, 5.8, 9, 380, 62, 28, 4.33e6}

// Numbers are those of a web, with pauses of at least a given time.
func (w *Web) Numbers(least schedule.Tick) Published {
	var p Published
	var all, feasible schedule.Share
	for i := range w.Servers {
		s := &w.Servers[i]
		if s.Interval == 0 {
			continue
		}
		p.Servers++
		p.MeanInterval += float64(s.Interval) / float64(schedule.Day)
		if s.Interval <= schedule.Minute {
			p.WithinMinute++
		}
		p.MeanTook += s.Times.Mean.Seconds()
		p.MeanLongest += s.Times.Max.Seconds()
		interval := max(s.Interval, least)
		share := schedule.ShareOf(s.Times.Mean, interval)
		all += share
		if s.Infeasible(least) {
			p.Infeasible++
		} else {
			feasible += share
			p.PerDay += float64(schedule.Day) / float64(interval)
		}
		if s.Times.Mean > interval {
			p.Steady++
		}
	}
	n := math.Max(float64(p.Servers), 1)
	p.MeanInterval, p.WithinMinute = p.MeanInterval/n, p.WithinMinute/n
	p.MeanTook, p.MeanLongest = p.MeanTook/n, p.MeanLongest/n
	p.Bound, p.BoundFeasible = all.Ceil(), feasible.Ceil()
	return p
}
