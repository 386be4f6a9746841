package cycle

import (
	"time"

	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
)

// dispatch decides which of the places that may be asked is asked first: by package schedule, with
// a pool for each pace. A tick is a nanosecond.
type dispatch struct {
	servers *schedule.Scheduler
	base    time.Time // tick 0, so far back that no moment of interest is before it
	at      schedule.Tick
	end     schedule.Tick // of the round
	placed  []*place      // by ID
	regime  *schedule.Regime
	weighed time.Time
}

const (
	noID schedule.ID = -1
	// regimeHold is how long the workers must suffice, or not, before the policy changes.
	regimeHold = 10 * time.Second
	// regimeEvery is how often that is looked at: it takes a look at all lines.
	regimeEvery = 2 * time.Second
)

func (d *dispatch) open(now time.Time) {
	d.base = now.Add(-2 * longestHold)
	d.servers = schedule.New(schedule.EDF)
	d.regime = schedule.NewRegime(schedule.Tick(regimeHold))
}

// tick is a moment in ticks: those that no clock gives are brought into range.
func (d *dispatch) tick(t time.Time) schedule.Tick {
	return schedule.Tick(max(t.Sub(d.base), 1))
}

// clear forgets all places, at the end of a round. The policy stays.
func (d *dispatch) clear() {
	d.servers = schedule.New(d.servers.Policy())
	d.placed = nil
}

// wake lets the places wait that may be asked by now.
func (d *dispatch) wake(now time.Time) {
	d.at = max(d.at, d.tick(now))
	d.servers.Wake(d.at)
}

// waits reports whether a place of a pool may be asked.
func (d *dispatch) waits(p pace) bool { return d.servers.Waiting(int(p)) > 0 }

// take is the place of a pool that is asked next; one waits.
func (d *dispatch) take(p pace, now time.Time) *place {
	id, ok := d.servers.Next(int(p), d.tick(now))
	if !ok {
		panic("cycle: no place waits in a pool that said so")
	}
	return d.placed[id]
}

// land ends what take began.
func (d *dispatch) land(p *place) {
	if p.id != noID && d.servers.Status(p.id).State == schedule.StateDownloading {
		d.servers.Land(p.id)
	}
}

// nextWake is a moment before which no further place may be asked, at most a given one.
func (d *dispatch) nextWake(most time.Time) time.Time {
	if at, ok := d.servers.NextWake(); ok {
		return sooner(d.base.Add(time.Duration(at)), most)
	}
	return most
}

// settlePlace tells the dispatch whether a place has visits, when it may be asked, and how often it
// would have to be for all that is chosen: once in the rest of the round for each visit.
func (c *crew) settlePlace(p *place) {
	if p.busy || len(p.lines) == 0 {
		if p.id != noID {
			c.dispatch.servers.Off(p.id)
			c.count(p, allPaces)
		}
		return
	}
	l := p.lines[0]
	of := c.met.get(l.server)
	times := c.timesOf(l.server)
	turn := c.dispatch.tick(p.turn())
	interval := max(c.dispatch.end-max(turn, c.dispatch.at),
		1) / schedule.Tick(max(p.parked, 1))
	interval = max(interval, schedule.Tick(max(l.pause, l.usual)), 1)
	if of == quick && times.Max > interval {
		of = apart
	}
	if l.asked > 0 { // it goes first by either policy
		interval, times = 0, schedule.Times{}
	}
	if p.id == noID {
		p.id = c.dispatch.servers.Add(c.dispatch.at, schedule.Server{Times: times})
		c.dispatch.placed = append(c.dispatch.placed, p)
		p.pool = allPaces
	}
	c.count(p, of)
	c.dispatch.servers.SetTimes(p.id, times, c.dispatch.at)
	c.dispatch.servers.Until(p.id, int(of), turn, interval, c.dispatch.at)
}

// count keeps how many feasible places there are.
func (c *crew) count(p *place, to pace) {
	if p.pool == quick {
		c.feasible--
	}
	if to == quick {
		c.feasible++
	}
	p.pool = to
}

// fill chooses a few visits of each server where workers are scarce. There some server is always
// ready, and no other would be chosen before it is asked.
func (c *crew) fill(now time.Time) error {
	for c.scarce && c.parked < min(aFew*c.graph.Servers(), c.batch) {
		v, ok := c.Planner.Next()
		if !ok {
			break
		}
		if err := c.park(v, now); err != nil {
			return err
		}
	}
	return nil
}

// Dispatch is how servers are chosen.
type Dispatch struct {
	// Scarce: the workers do not suffice for the visits that are chosen. Then the server with the
	// shortest downloads is asked first (SJF), else the one whose visit must begin earliest (EDF).
	Scarce  bool
	Need    float64 // workers that are needed, at least: sum of min(e/I, 1) [HIER eq. 4]
	Workers int
	// CutOff is how many chosen visits were given back, because the batch had only servers left
	// that let few visits begin; 0 where the policy changed.
	CutOff int
}

// choose takes another policy when the workers begin, or cease, to suffice.
func (c *crew) choose(now time.Time) {
	every := regimeEvery * time.Duration(1+c.graph.Servers()/50_000) // it looks at all servers
	if now.Sub(c.dispatch.weighed) < every {
		return
	}
	c.dispatch.weighed = now
	var need schedule.Share
	rest := c.round.End.Sub(now)
	for s := range sitegraph.ServerID(c.graph.Servers()) {
		l := c.lines[s]
		if l == nil {
			continue
		}
		visits := len(l.visits)
		if c.ample { // what politeness allows is wanted, though little of it is chosen ahead
			visits = max(min(c.room(l, now), len(c.graph.ServerPages(s))-l.made), visits)
		}
		if visits > 0 {
			took := min(c.timesOf(s).Mean, schedule.Tick(slowAnswer)) // then it holds no worker
			each := max(rest/time.Duration(visits), l.pause, l.usual, 1)
			need += schedule.ShareOf(took, schedule.Tick(each))
		}
	}
	policy, changed := c.dispatch.regime.Policy(need, c.workers, c.dispatch.tick(now))
	if !changed {
		return
	}
	c.dispatch.servers.SetPolicy(policy)
	c.scarce = policy == schedule.SJF
	if c.Dispatched != nil {
		c.Dispatched(Dispatch{Scarce: c.scarce, Need: need.Connections(), Workers: c.workers})
	}
}
