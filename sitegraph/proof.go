package sitegraph

import "time"

// A page with a copy does not leave after one answer that it is gone, moved or forbidden. Servers
// answer 404 during a rebuild, a firewall answers 403 for no visible reason, and a server may
// redirect everything for an hour. So several answers of one kind in a row are needed: over half a
// day and more for 404 and 301, over days for 403. Two answers 410, at least half an hour apart,
// suffice, since 410 is hardly sent by mistake. The same holds for content that a filter of the
// user rejects, since a server may briefly show a notice in another language; if the content is
// that of the copy, one answer suffices. Pages that left are visited again, less and less often.

const (
	// lookFirst and lookLast bound the time between two visits to a page that left. It doubles with
	// each visit.
	lookFirst = 7 * 24 * time.Hour
	lookLast  = 182 * 24 * time.Hour
)

// missWaits are the waits before the next visit after the first, second and any further answer in a
// row that a page is gone, moved or forbidden. For robots.txt each wait is a day, since the file is
// read once a day.
var missWaits = [...]time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// proof returns how many such answers of one kind in a row are needed.
func proof(o *Observation) uint8 {
	switch {
	case o.ByRobots:
		return 10 // one a day
	case o.Status == 410, o.Filter != "":
		return 2
	case o.Outcome == OutcomeGone, o.Outcome == OutcomeRedirected:
		return 3
	}
	return 4
}

// Doubt counts an observation that would make a page with a copy leave. It reports whether the
// proof is still incomplete, so that the page stays. An answer of another kind than the last one
// restarts the count: a server that first misses a page and then redirects it is in disorder. An
// answer before half of the wait is over does not count. longest bounds that wait if the page is
// visited so often that nothing would ever count; 0: no bound.
func (r *Record) Doubt(o Observation, longest time.Duration) bool {
	if r.State != StateAlive || o.Filter != "" && o.Digests.Bytes == r.Digests.Bytes ||
		o.Outcome != OutcomeGone && o.Outcome != OutcomeRedirected && o.Outcome != OutcomeExcluded {
		return false
	}
	wait := MissWait(r.Misses, r.ByRobots)
	if longest > 0 {
		wait = min(wait, longest)
	}
	switch {
	case r.Misses == 0, r.Missed != o.Outcome, r.ByRobots != o.ByRobots:
		r.Misses = 1
	case o.Time.Sub(r.Tried) < wait/2:
	case r.Misses+1 >= proof(&o):
		return false
	default:
		r.Misses++
	}
	r.Missed, r.ByRobots = o.Outcome, o.ByRobots
	r.Tried, r.Status, r.Errors = o.Time, o.Status, 0
	return true
}

// MissWait returns the wait of a page with a copy after some answers in a row that it is gone,
// moved or forbidden; 0 after none.
func MissWait(misses uint8, byRobots bool) time.Duration {
	if misses == 0 {
		return 0
	}
	if byRobots {
		return 24 * time.Hour
	}
	return missWaits[min(int(misses), len(missWaits))-1]
}

// LookWait returns the wait of a page that left for its next visit, by the number of answers since
// it left.
func LookWait(misses uint8) time.Duration {
	if misses > 6 {
		return lookLast
	}
	return min(lookFirst<<(max(misses, 1)-1), lookLast)
}

// Left reports whether a page in this state is gone, moved or forbidden.
func (s State) Left() bool { return s == StateGone || s == StateMoved || s == StateExcluded }
