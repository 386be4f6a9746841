package crawl

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// classStep is the largest ratio of intervals in one entry of a demand. A server that is visited as
// often as possible and changes each time seems to want little more than it gets.
const classStep = 1.01

// Demands returns the visits that the changes of each server call for: one to each page per change
// seen. It looks at all pages.
func (l *Loop) Demands() []schedule.Demand {
	all := make([]schedule.Demand, l.graph.Servers())
	for s := range all {
		all[s] = l.demandOf(sitegraph.ServerID(s), 1, daysBetweenChanges)
	}
	return all
}

// demandOf returns the demand for visits to the pages of a server, at the intervals in days that
// interval returns. Pages of about the same interval and weight share an entry. It looks at every
// step-th page of the server, which counts step times.
func (l *Loop) demandOf(server sitegraph.ServerID, step int,
	interval func(*planner.Memory) float64) schedule.Demand {
	corpus := l.Planner.Pages
	d := schedule.Demand{Name: l.graph.ServerName(server),
		Least: schedule.Tick(l.pauseOf(server).Milliseconds())}
	type class struct {
		interval int // power of classStep
		weight   float64
	}
	at := map[class]int{}
	pages := l.graph.ServerPages(server)
	for i := 0; i < len(pages); i += step {
		page := pages[i]
		l.pace.Read(l.graph.Scratch(), 1)
		if int(page) >= corpus.Count() { // it became known a moment ago
			break
		}
		m := corpus.Memory(page)
		days := interval(m)
		if m.State != sitegraph.StateAlive || !(days > 0) || corpus.Weight(page) == 0 {
			continue
		}
		of := class{int(math.Round(math.Log(days) / math.Log(classStep))), corpus.Weight(page)}
		k, ok := at[of]
		if !ok {
			k = len(d.Pages)
			at[of] = k
			interval := schedule.Tick(
				math.Min(math.Max(math.Pow(classStep, float64(of.interval))*float64(schedule.Day),
					1), 1e15))
			d.Pages = append(d.Pages, schedule.Pages{Interval: interval, Weight: of.weight})
		}
		d.Pages[k].Count += min(step, len(pages)-i)
	}
	if q := l.queues[server]; q != nil {
		d.Least = max(d.Least, schedule.Tick(q.pause.Milliseconds()))
		if q.address != nil {
			d.Address = q.address.name
		}
	}
	t := l.timesOf(server)
	d.Times = schedule.Times{Mean: roundUp(t.Mean), Max: roundUp(t.Max), Count: t.Count}
	return d
}

// daysBetweenChanges returns the mean time between two seen changes; 0: none was seen.
func daysBetweenChanges(m *planner.Memory) float64 {
	return estimator.Days(estimator.Seen(m.History).Between())
}

// daysBetweenVisits returns the time between visits that a page should have: the time between its
// changes if two or more were seen. Before that it is the policy's interval, since a policy knows
// similar pages. 0: unknown.
func daysBetweenVisits(m *planner.Memory) float64 {
	if m.History.Changes >= 2 {
		return daysBetweenChanges(m)
	}
	return float64(m.Interval)
}

// roundUp converts nanoseconds to milliseconds, rounded up.
func roundUp(t schedule.Tick) schedule.Tick {
	return (t + schedule.Tick(time.Millisecond) - 1) / schedule.Tick(time.Millisecond)
}

// Strains change with hysteresis, so that due times do not flap. One begins at 1.1, and ends below
// 0.8 of its value.
const (
	strainFrom = 1.1
	strainStep = 0.8
	strainPart = 32
)

// weighStrains looks at the pages of each server once, and again after visits to 1/strainPart of
// its pages. Demand moves slowly, and so the cost follows the visits. The image keeps the result,
// since looking at all pages would delay the first visit of the next process.
func (l *Loop) weighStrains() {
	if !l.Forecast {
		return
	}
	all := l.Planner.Strains()
	known := len(all.Of)
	all.Of = arena.Grow(nil, all.Of, l.graph.Servers())
	all.Visits = arena.Grow(nil, all.Visits, l.graph.Servers())
	all.Pauses = arena.Grow(nil, all.Pauses, l.graph.Servers())
	for s := range sitegraph.ServerID(l.graph.Servers()) {
		if int(s) < known && (l.weighed || l.samePause(s)) &&
			int(all.Visits[s])*strainPart <= len(l.graph.ServerPages(s)) {
			continue
		}
		all.Visits[s], all.Pauses[s] = 0, l.pauseInMilliseconds(s)
		l.weighStrain(s)
	}
	l.weighed = true
}

func (l *Loop) pauseInMilliseconds(s sitegraph.ServerID) int32 {
	return int32(min(l.pauseOf(s).Milliseconds(), math.MaxInt32))
}

// samePause reports whether the pause of a server is the one by which it was weighed.
func (l *Loop) samePause(s sitegraph.ServerID) bool {
	return l.Planner.Strains().Pauses[s] == l.pauseInMilliseconds(s)
}

func (l *Loop) weighStrain(s sitegraph.ServerID) {
	d := l.demandOf(s, 1, daysBetweenVisits)
	wanted := 0.0
	if load := d.Load(); load > 0 {
		wanted = float64(d.Cycle(schedule.Usual)) / float64(load.Interval())
	}
	of := l.Planner.Strains().Of
	is := float64(of[s])
	switch {
	case wanted > strainFrom && (is == 0 || wanted > is*strainFrom || wanted < is*strainStep):
		of[s] = float32(wanted)
	case wanted < strainStep:
		of[s] = 0
	}
}
