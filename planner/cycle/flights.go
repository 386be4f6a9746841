package cycle

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// flights are visits under way, or look-ups. Those that began lately are young, at most workers of
// them at a time. Others are not counted, up to mostFlights in all: servers that take a minute to
// answer delay no other server. A flight to a server that has not answered yet is young for a
// moment only, and leaves room for servers that are known to be quick.
type flights struct {
	workers  int
	met      *paces // what is known of the servers
	inFlight int
	lanes    [allPaces]lane
	turn     pace // whose turn it is to begin
	feasible int  // places of the pool quick that have visits: each keeps a worker from the others
	scarce   bool // the workers do not suffice for what is wanted
}

// pace is how quickly a server answered the last time.
type pace uint8

const (
	unmet pace = iota // it has not answered yet
	quick
	slow
	// apart is a server that is quick and cannot keep up with what is wanted of it in this round:
	// the longest of its downloads takes longer than the interval [HIER 3.1]. It is no pace of
	// answers, but a pool of its own [HIER 3.2].
	apart
	allPaces
)

const (
	// slowAnswer is how long an answer takes that is slow.
	slowAnswer = 5 * time.Second
	// firstAnswer is how long a flight to a server that has not answered yet is young.
	firstAnswer = time.Second
	// flightsPerWorker bounds all flights, and those to servers not known to be quick leave room
	// for one of others a worker.
	flightsPerWorker = 8
	// mostSlow bounds those beyond one a worker. A visit under way takes 50 KB and a connection,
	// and while its page comes up to 256 KB: with it 64 workers take 130 MB at most, as without,
	// and 1,000 take 1.3 GB instead of 2.
	mostSlow = 4096
)

// youth is how long flights are young.
var youth = [allPaces]time.Duration{unmet: firstAnswer, quick: slowAnswer, slow: 0,
	apart: slowAnswer}

// paces are those of all servers. They outlive lines and rounds.
type paces struct {
	of    []pace
	quick int // servers
}

func (m *paces) get(s sitegraph.ServerID) pace {
	if int(s) < len(m.of) {
		return m.of[s]
	}
	return unmet
}

// see learns how long an answer took. Without an answer it learns only that this took
// long.
func (m *paces) see(s sitegraph.ServerID, took time.Duration, answered bool) {
	now := quick
	switch {
	case took >= slowAnswer:
		now = slow
	case !answered:
		return
	}
	for int(s) >= len(m.of) {
		m.of = append(m.of, unmet)
	}
	if m.of[s] == quick {
		m.quick--
	}
	if now == quick {
		m.quick++
	}
	m.of[s] = now
}

// lane is the flights of one pace.
type lane struct {
	under int
	young int
	queue []start // of the young, in the order in which they began; some are over
	head  int
}

// flight is one of a line's, under way or over.
type flight struct {
	began time.Time
	pace  pace // with which it began
	up    bool
	old   bool
}

type start struct {
	of    *flight
	began time.Time
}

// still reports whether this very flight is under way and young.
func (s *start) still() bool { return s.of.up && !s.of.old && s.of.began.Equal(s.began) }

// mostFlights bounds the visits under way.
func mostFlights(workers int) int { return min(flightsPerWorker*workers, workers+mostSlow) }

func newFlights(workers int, met *paces) flights { return flights{workers: workers, met: met} }

// free reports whether one more flight may begin to a quick server.
func (f *flights) free(now time.Time) bool {
	young := 0
	for p := range f.lanes {
		f.lanes[p].age(pace(p), now)
		young += f.lanes[p].young
	}
	return young < f.workers && f.inFlight < mostFlights(f.workers)
}

// hasRoom reports whether one more flight of a pace may begin.
func (f *flights) hasRoom(p pace, now time.Time) bool {
	if !f.free(now) {
		return false
	}
	if p == quick {
		return true
	}
	if p == apart {
		return f.lanes[apart].young < f.workers-min(f.feasible, f.workers/2)
	}
	kept := min(f.met.quick, f.workers/2) // for the quick
	if f.scarce {                         // discovery gets what refresh leaves
		kept = min(f.met.quick, f.workers-max(f.workers/8, 1))
	}
	return f.lanes[unmet].under+f.lanes[slow].under < mostFlights(f.workers)-f.workers &&
		(p == slow || f.lanes[unmet].young < f.workers-kept)
}

// next is the pace of which a flight may begin, of those that are ready. They take turns.
func (f *flights) next(now time.Time, ready func(pace) bool) (pace, bool) {
	for range allPaces {
		p := f.turn
		f.turn = (f.turn + 1) % allPaces
		if ready(p) && f.hasRoom(p, now) {
			return p, true
		}
	}
	return 0, false
}

// age counts the flights that have become old.
func (l *lane) age(p pace, now time.Time) {
	for ; l.head < len(l.queue); l.head++ {
		s := l.queue[l.head]
		if s.still() {
			if now.Sub(s.began) < youth[p] {
				return
			}
			s.of.old = true
			l.young--
		}
	}
	l.queue, l.head = l.queue[:0], 0
}

// nextOld is when the next flight becomes old, at most a given moment.
func (f *flights) nextOld(most time.Time) time.Time {
	for p := range f.lanes {
		l := &f.lanes[p]
		for ; l.head < len(l.queue); l.head++ {
			if s := l.queue[l.head]; s.still() {
				most = sooner(s.began.Add(youth[p]), most)
				break
			}
		}
	}
	return most
}

func (f *flights) takeOff(x *flight, p pace, now time.Time) {
	*x = flight{pace: p, began: now, up: true, old: youth[p] == 0}
	f.inFlight++
	l := &f.lanes[p]
	l.under++
	if x.old {
		return
	}
	l.young++
	if l.head > 1024 && l.head > len(l.queue)/2 { // give back what is past
		l.queue = append(l.queue[:0], l.queue[l.head:]...)
		l.head = 0
	}
	l.queue = append(l.queue, start{x, now})
}

func (f *flights) land(x *flight) {
	f.inFlight--
	l := &f.lanes[x.pace]
	l.under--
	if !x.old {
		l.young--
	}
	x.up = false
}
