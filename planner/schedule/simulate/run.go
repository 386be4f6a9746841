package simulate

import (
	"context"

	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/planner/schedule/wheel"
)

// Options of a run.
type Options struct {
	Policy      schedule.Policy
	Connections int           // 0: no bound
	Least       schedule.Tick // I_min; a second in the paper
	Duration    schedule.Tick
	// Apart is a pool of its own for servers whose longest download takes more than their interval;
	// 0: they share the other.
	Apart int
	// Day is called after each simulated day. May be nil.
	Day func()
}

// Result of a run.
type Result struct {
	Policy      string  `json:"policy"`
	Connections int     `json:"connections"`
	Days        float64 `json:"days"`
	Ideal       float64 `json:"ideal"`     // downloads: sum of duration/I
	Periods     int64   `json:"periods"`   // sum of floor(duration/I)
	Downloads   int64   `json:"downloads"` // begun
	// Missed is periods without the start of a download, server by server.
	Missed int64 `json:"missed"`
	// By is what the periods that are known to be lost were lost to. Those that a server still
	// waits in at the end are not in it.
	By schedule.Missed `json:"by"`
	// Late is how many servers missed a period.
	Late   int     `json:"late_servers"`
	PerDay float64 `json:"downloads_per_day"`
	Mbps   float64 `json:"mbps"` // by the mean size of a page
	Busy   float64 `json:"busy"` // connections, on average
	Events int64   `json:"events"`
}

// Run simulates; it ends early only with the context's error.
func Run(ctx context.Context, w *Web, o Options) (Result, error) {
	r := &run{web: w, s: schedule.New(o.Policy), ends: wheel.New(),
		next: make([]uint32, len(w.Servers)), begun: make([]uint32, len(w.Servers))}
	r.s.SetConnections(0, o.Connections)
	r.s.SetConnections(1, o.Apart)
	r.s.Reserve(len(w.Servers))
	r.ends.Grow(len(w.Servers))
	for i := range w.Servers {
		v := &w.Servers[i]
		r.next[i] = v.From
		of := schedule.Server{Load: schedule.RateOf(v.Interval), Least: o.Least, Times: v.Times}
		if o.Apart > 0 && v.Infeasible(o.Least) {
			of.Pool = 1
		}
		r.s.Add(0, of)
	}
	for from := schedule.Tick(0); from < o.Duration; from += schedule.Day {
		r.until(ctx, min(from+schedule.Day, o.Duration), o.Apart > 0)
		if o.Day != nil {
			o.Day()
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
	}
	return r.result(o), nil
}

type run struct {
	web    *Web
	s      *schedule.Scheduler
	ends   *wheel.Wheel // of downloads
	next   []uint32     // place in the log of each server
	begun  []uint32     // downloads of each
	now    schedule.Tick
	events int64
	busy   int64 // ticks of connections
}

// askEach is how many moments are simulated until the context is asked again.
const askEach = 1024

// until goes from event to event up to a moment, or the end of the context.
func (r *run) until(ctx context.Context, end schedule.Tick, apart bool) {
	for n := 0; r.now < end; n++ {
		if n%askEach == 0 && ctx.Err() != nil {
			return
		}
		for {
			id, ok := r.ends.Pop(int64(r.now))
			if !ok {
				break
			}
			r.s.Done(schedule.ID(id), r.now)
			r.events++
		}
		r.s.Wake(r.now)
		r.begin(0)
		if apart {
			r.begin(1)
		}
		next := end
		if at, ok := r.ends.Next(); ok {
			next = min(next, schedule.Tick(at))
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
		r.ends.Insert(int32(id), int64(r.now)+int64(took))
	}
}

func (r *run) result(o Options) Result {
	out := Result{Policy: o.Policy.Name(), Connections: o.Connections,
		Days: float64(o.Duration) / float64(schedule.Day), By: r.s.Missed(), Events: r.events}
	for i := range r.web.Servers {
		interval := r.s.Status(schedule.ID(i)).Interval
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
