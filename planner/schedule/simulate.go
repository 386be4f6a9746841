package schedule

import (
	"context"
	"math"
)

// SimulateOptions configure a simulation.
type SimulateOptions struct {
	Policy      Policy
	Connections int  // 0: no bound
	Least       Tick // I_min; a second in the paper
	Duration    Tick
	// Apart is the size of a separate pool for servers whose longest download takes more than their
	// interval; 0: they share the other.
	Apart int
	// Day is called after each simulated day. May be nil.
	Day func()
}

// Simulated is the result of a simulation.
type Simulated struct {
	Policy      string  `json:"policy"`
	Connections int     `json:"connections"`
	Days        float64 `json:"days"`
	Ideal       float64 `json:"ideal"`     // downloads: sum of duration/I
	Periods     int64   `json:"periods"`   // sum of floor(duration/I)
	Downloads   int64   `json:"downloads"` // begun
	// Missed counts periods without the start of a download, server by server.
	Missed int64 `json:"missed"`
	// By counts the periods that are known to be lost by cause, without those of servers still
	// waiting at the end.
	By Missed `json:"by"`
	// Late counts the servers that missed a period.
	Late   int     `json:"late_servers"`
	PerDay float64 `json:"downloads_per_day"`
	Mbps   float64 `json:"mbps"` // by the mean size of a page
	Busy   float64 `json:"busy"` // connections, on average
	Events int64   `json:"events"`
}

// Simulate runs the simulation. It ends early only with the context's error.
func Simulate(ctx context.Context, w *Web, o SimulateOptions) (Simulated, error) {
	r := &run{web: w, s: New(o.Policy), at: make([]int32, len(w.Servers)),
		next: make([]uint32, len(w.Servers)), begun: make([]uint32, len(w.Servers))}
	r.s.SetConnections(0, o.Connections)
	r.s.SetConnections(1, o.Apart)
	r.s.Reserve(len(w.Servers))
	for i := range w.Servers {
		v := &w.Servers[i]
		r.next[i] = v.From
		of := Server{Load: RateOf(v.Interval), Least: o.Least, Times: v.Times}
		if o.Apart > 0 && v.Infeasible(o.Least) {
			of.Pool = 1
		}
		r.s.Add(0, of)
	}
	for from := Tick(0); from < o.Duration; from += Day {
		r.until(ctx, min(from+Day, o.Duration), o.Apart > 0)
		if o.Day != nil {
			o.Day()
		}
		if err := ctx.Err(); err != nil {
			return Simulated{}, err
		}
	}
	return r.result(o), nil
}

type run struct {
	web    *Web
	s      *Scheduler
	ends   ranking  // of downloads
	at     []int32  // places in ends
	next   []uint32 // place in the log of each server
	begun  []uint32 // downloads of each
	now    Tick
	events int64
	busy   int64 // ticks of connections
}

// askEach is how many events are simulated between two looks at the context.
const askEach = 1024

// until simulates event after event up to a time, or the end of the context.
func (r *run) until(ctx context.Context, end Tick, apart bool) {
	for n := 0; r.now < end; n++ {
		if n%askEach == 0 && ctx.Err() != nil {
			return
		}
		for len(r.ends.order) > 0 && r.ends.order[0].key <= int64(r.now) {
			r.s.Done(r.ends.pop(r.at), r.now)
			r.events++
		}
		r.s.Wake(r.now)
		r.begin(0)
		if apart {
			r.begin(1)
		}
		next := end
		if len(r.ends.order) > 0 {
			next = min(next, Tick(r.ends.order[0].key))
		}
		if at, ok := r.s.NextWake(); ok {
			next = min(next, at)
		}
		r.now = max(next, r.now)
	}
}

func (r *run) begin(pool int) {
	for {
		id, ok := r.s.Next(pool, r.now)
		if !ok {
			return
		}
		v := &r.web.Servers[id]
		at := r.next[id]
		took := r.web.Took[at]
		if at++; at == v.To {
			at = v.From
		}
		r.next[id] = at
		r.begun[id]++
		r.busy += int64(took)
		r.events++
		r.ends.push(r.at, ranked{int64(r.now) + int64(took), id})
	}
}

func (r *run) result(o SimulateOptions) Simulated {
	out := Simulated{Policy: o.Policy.Name(), Connections: o.Connections,
		Days: float64(o.Duration) / float64(Day), By: r.s.Missed(), Events: r.events}
	for i := range r.web.Servers {
		interval := r.s.Status(ID(i)).Interval
		if interval == 0 {
			continue
		}
		periods, begun := int64(o.Duration/interval), int64(r.begun[i])
		out.Ideal += float64(o.Duration) / float64(interval)
		out.Periods += periods
		out.Downloads += begun
		if missed := periods - begun; missed > 0 {
			out.Missed += missed
			out.Late++
		}
	}
	out.PerDay = float64(out.Downloads) / out.Days
	out.Mbps = out.PerDay * r.web.PageBytes * 8 / 86_400 / 1e6
	out.Busy = float64(r.busy) / float64(o.Duration)
	return out
}

// PageBytes is the mean size of a page [HIER 3.1]: 22 KB.
const PageBytes = 22_000

// Web has the servers of a simulation.
type Web struct {
	Servers []WebServer
	// Took has the logs of all servers, in milliseconds: that of a server is Took[From:To].
	Took []uint32
	// PageBytes is the mean size of a page, from which bandwidth is computed.
	PageBytes float64
}

// WebServer is one server of a web.
type WebServer struct {
	Name     string
	Interval Tick   // 1/L; 0: no visits are wanted
	From, To uint32 // its log
	Times    Times
}

// Add adds a server with its log of at least one download.
func (w *Web) Add(name string, interval Tick, took []uint32) {
	s := WebServer{Name: name, Interval: interval, From: uint32(len(w.Took))}
	w.Took = append(w.Took, took...)
	s.To = uint32(len(w.Took))
	s.Times = timesOf(took)
	w.Servers = append(w.Servers, s)
}

func timesOf(took []uint32) Times {
	var sum, longest uint64
	for _, t := range took {
		sum += uint64(t)
		longest = max(longest, uint64(t))
	}
	n := uint64(len(took))
	return Times{Mean: Tick((sum + n/2) / n), Max: Tick(longest), Count: uint32(n)}
}

// Demands returns the servers for the feasibility test, with a page each.
func (w *Web) Demands(least Tick) []Demand {
	all := make([]Demand, len(w.Servers))
	for i := range w.Servers {
		s := &w.Servers[i]
		all[i] = Demand{Name: s.Name, Least: least, Times: s.Times,
			Pages: []Pages{{Interval: s.Interval}}}
	}
	return all
}

// Feasible returns the web without the servers whose longest download, or politeness pause, takes
// more than their interval [HIER 3.1].
func (w *Web) Feasible(least Tick) *Web {
	out := &Web{Took: w.Took, PageBytes: w.PageBytes}
	for i := range w.Servers {
		if !w.Servers[i].Infeasible(least) {
			out.Servers = append(out.Servers, w.Servers[i])
		}
	}
	return out
}

// Infeasible reports whether a server's longest download takes more than its interval.
func (s *WebServer) Infeasible(least Tick) bool {
	return s.Times.Max > max(s.Interval, least)
}

// Published are the numbers of a web that [HIER 3.1] has for its crawl.
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

// OfPaper has the numbers of the paper.
var OfPaper = Published{82_034, 5.5, 0.01, 1, 5.8, 9, 380, 62, 28, 4.33e6}

// Numbers returns those of a web, with pauses of at least a given time.
func (w *Web) Numbers(least Tick) Published {
	var p Published
	var all, feasible Share
	for i := range w.Servers {
		s := &w.Servers[i]
		if s.Interval == 0 {
			continue
		}
		p.Servers++
		p.MeanInterval += float64(s.Interval) / float64(Day)
		if s.Interval <= Minute {
			p.WithinMinute++
		}
		p.MeanTook += s.Times.Mean.Seconds()
		p.MeanLongest += s.Times.Max.Seconds()
		interval := max(s.Interval, least)
		share := ShareOf(s.Times.Mean, interval)
		all += share
		if s.Infeasible(least) {
			p.Infeasible++
		} else {
			feasible += share
			p.PerDay += float64(Day) / float64(interval)
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
