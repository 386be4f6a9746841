package sitegraph

import "time"

// A page that we hold a copy of is not given up for one answer that says it is not to be had:
// servers answer 404 while they are rebuilt, 403 where a filter is in a bad mood, and redirect
// everything for an hour. It takes several of one kind in a row: over half a day and more for 404
// and 301, over days for 403. A 410 takes two, half an hour apart at least: nobody says it by
// mistake. What left is looked at again all the same, more and more seldom.

const (
	// lookFirst and lookLast bound the time between two looks at a page that left; it doubles with
	// each.
	lookFirst = 7 * 24 * time.Hour
	lookLast  = 182 * 24 * time.Hour
)

// missWaits pass after the first, second and any further answer in a row that a page is not to be
// had, before it is asked for again. Where robots.txt forbids it each wait is a day: the file is
// read once a day.
var missWaits = [...]time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// proof is how many such answers of one kind in a row it takes.
func proof(o *Observation) uint8 {
	switch {
	case o.ByRobots:
		return 10 // one a day
	case o.Status == 410:
		return 2
	case o.Outcome == OutcomeGone, o.Outcome == OutcomeRedirected:
		return 3
	}
	return 4
}

// Doubt counts an observation that would make a page with a copy leave, and reports whether that is
// not proved yet: then the page stays as it is. An answer of another kind than the last one begins
// the count anew: a server where a page is missing now and elsewhere an hour later is in disorder.
// One that comes before half of the wait since the last one tells nothing new.
func (r *Record) Doubt(o Observation) bool {
	if r.State != StateAlive ||
		o.Outcome != OutcomeGone && o.Outcome != OutcomeRedirected && o.Outcome != OutcomeExcluded {
		return false
	}
	switch {
	case r.Misses == 0, r.Missed != o.Outcome, r.ByRobots != o.ByRobots:
		r.Misses = 1
	case o.Time.Sub(r.Tried) < MissWait(r.Misses, r.ByRobots)/2:
	case r.Misses+1 >= proof(&o):
		return false
	default:
		r.Misses++
	}
	r.Missed, r.ByRobots = o.Outcome, o.ByRobots
	r.Tried, r.Status, r.Errors = o.Time, o.Status, 0
	return true
}

// MissWait is how long a page with a copy waits after so many answers in a row that it is not to be
// had; 0 after none.
func MissWait(misses uint8, byRobots bool) time.Duration {
	if misses == 0 {
		return 0
	}
	if byRobots {
		return 24 * time.Hour
	}
	return missWaits[min(int(misses), len(missWaits))-1]
}

// LookWait is how long a page that left waits for the next look, after so many answers since then.
func LookWait(misses uint8) time.Duration {
	if misses > 6 {
		return lookLast
	}
	return min(lookFirst<<(max(misses, 1)-1), lookLast)
}

// Left reports whether a page in this state is one that is not to be had.
func (s State) Left() bool { return s == StateGone || s == StateMoved || s == StateExcluded }
