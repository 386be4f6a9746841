package crawl

import (
	"time"

	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
)

// dispatch chooses which of the ready addresses is asked first, by package schedule with a pool for
// each speed. A tick is a nanosecond.
type dispatch struct {
	servers   *schedule.Scheduler
	base      time.Time // tick 0, before any time that is used
	at        schedule.Tick
	end       schedule.Tick   // of the round
	addresses []*addressQueue // by ID
	regime    *schedule.Regime
	weighed   time.Time
}

const (
	noID schedule.ID = -1
	// regimeHold is how long workers must suffice, or fail to, before the policy changes.
	regimeHold = 10 * time.Second
	// regimeEvery is the time between two checks of this, which look at all queues.
	regimeEvery = 2 * time.Second
)

func (d *dispatch) open(now time.Time) {
	d.base = now.Add(-2 * longestWait)
	d.servers = schedule.New(schedule.EDF)
	d.regime = schedule.NewRegime(schedule.Tick(regimeHold))
}

// tick converts a time to ticks, at least 1.
func (d *dispatch) tick(t time.Time) schedule.Tick {
	return schedule.Tick(max(t.Sub(d.base), 1))
}

// clear forgets all addresses at the end of a round. The policy stays.
func (d *dispatch) clear() {
	d.servers = schedule.New(d.servers.Policy())
	d.addresses = nil
}

// wake marks the addresses that may be asked at now.
func (d *dispatch) wake(now time.Time) {
	d.at = max(d.at, d.tick(now))
	d.servers.Wake(d.at)
}

// waits reports whether an address of a pool may be asked.
func (d *dispatch) waits(s speed) bool { return d.servers.Waiting(int(s)) > 0 }

// next returns the address of a pool to ask next. The caller knows that one waits.
func (d *dispatch) next(s speed, now time.Time) *addressQueue {
	id, ok := d.servers.Next(int(s), d.tick(now))
	if !ok {
		panic("crawl: no place waits in a pool that said so")
	}
	return d.addresses[id]
}

// noteEnd ends the download that next began.
func (d *dispatch) noteEnd(a *addressQueue) {
	if a.id != noID && d.servers.Status(a.id).State == schedule.StateDownloading {
		d.servers.Land(a.id)
	}
}

// nextWake returns the next time at which an address becomes ready, at most a given time.
func (d *dispatch) nextWake(most time.Time) time.Time {
	if at, ok := d.servers.NextWake(); ok {
		return sooner(d.base.Add(time.Duration(at)), most)
	}
	return most
}

// reorderAddress updates the dispatch of an address: whether it has visits, when it may be asked,
// and the interval that all its chosen visits need in the rest of the round.
func (p *pool) reorderAddress(a *addressQueue) {
	if a.busy || len(a.queues) == 0 {
		if a.id != noID {
			p.dispatch.servers.Off(a.id)
			p.trackFeasible(a, speedCount)
		}
		return
	}
	q := a.queues[0]
	of := p.met.get(q.server)
	times := p.timesOf(q.server)
	turn := p.dispatch.tick(a.turn())
	interval := max(p.dispatch.end-max(turn, p.dispatch.at),
		1) / schedule.Tick(max(a.waiting, 1))
	interval = max(interval, schedule.Tick(max(q.pause, q.usual)), 1)
	if of == speedQuick && times.Max > interval {
		of = speedOverloaded
	}
	if q.asked > 0 { // both policies put it first
		interval, times = 0, schedule.Times{}
	}
	if a.id == noID {
		a.id = p.dispatch.servers.Add(p.dispatch.at, schedule.Server{Times: times})
		p.dispatch.addresses = append(p.dispatch.addresses, a)
		a.pool = speedCount
	}
	p.trackFeasible(a, of)
	p.dispatch.servers.SetTimes(a.id, times, p.dispatch.at)
	p.dispatch.servers.Until(a.id, int(of), turn, interval, p.dispatch.at)
}

// trackFeasible counts the feasible addresses: those of the pool speedQuick that have visits.
func (p *pool) trackFeasible(a *addressQueue, to speed) {
	if a.pool == speedQuick {
		p.feasible--
	}
	if to == speedQuick {
		p.feasible++
	}
	a.pool = to
}

// fillWhenScarce chooses a few visits of each server while workers are scarce. Otherwise, since
// some server is always ready, no others would be chosen.
func (p *pool) fillWhenScarce(now time.Time) error {
	for p.scarce && p.waiting < min(aFew*p.graph.Servers(), p.batch) {
		v, ok := p.Planner.Next()
		if !ok {
			break
		}
		if err := p.enqueueVisit(v, now); err != nil {
			return err
		}
	}
	return nil
}

// Dispatch describes how the loop chooses the next server.
type Dispatch struct {
	// Scarce: there are too few workers for the chosen visits. Then the server with the shortest
	// downloads goes first (SJF), otherwise the one with the earliest deadline (EDF).
	Scarce  bool
	Need    float64 // least number of workers needed: sum of min(e/I, 1) [HIER eq. 4]
	Workers int
	// CutOff is the number of chosen visits returned to the planner because the batch held only
	// servers that let few visits begin; 0 if the policy changed.
	CutOff int
}

// choosePolicy changes the policy when workers begin, or cease, to suffice.
func (p *pool) choosePolicy(now time.Time) {
	every := regimeEvery * time.Duration(1+p.graph.Servers()/50_000) // looks at all servers
	if now.Sub(p.dispatch.weighed) < every {
		return
	}
	p.dispatch.weighed = now
	var need schedule.Share
	rest := p.round.End.Sub(now)
	for s := range sitegraph.ServerID(p.graph.Servers()) {
		q := p.queues[s]
		if q == nil {
			continue
		}
		visits := len(q.visits)
		if p.ample { // all visits that politeness allows are wanted, but few are chosen ahead
			visits = max(min(p.room(q, now), len(p.graph.ServerPages(s))-q.made), visits)
		}
		if visits > 0 {
			took := min(p.timesOf(s).Mean, schedule.Tick(slowAnswer)) // else it holds no worker
			each := max(rest/time.Duration(visits), q.pause, q.usual, 1)
			need += schedule.ShareOf(took, schedule.Tick(each))
		}
	}
	policy, changed := p.dispatch.regime.Policy(need, p.workers, p.dispatch.tick(now))
	if !changed {
		return
	}
	p.dispatch.servers.SetPolicy(policy)
	p.scarce = policy == schedule.SJF
	if p.Dispatched != nil {
		p.Dispatched(Dispatch{Scarce: p.scarce, Need: need.Connections(), Workers: p.workers})
	}
}
