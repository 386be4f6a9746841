package crawl

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// limiter bounds the visits, or look-ups, under way. At most `workers` of them are young, that is,
// began lately. Older ones are bounded by mostFlights alone, so that servers which take a minute to
// answer delay no other. An attempt at a server that has not answered yet is young for a moment
// only, and leaves room for quick servers.
type limiter struct {
	workers  int
	met      *speeds // speeds of the servers
	inFlight int
	classes  [speedCount]speedClass
	turn     speed // the speed that begins next
	// feasible counts the addresses of the pool speedQuick that have visits. Each keeps one worker
	// for itself.
	feasible int
	scarce   bool // there are too few workers for all that is wanted
}

// speed is how quickly a server answered last.
type speed uint8

const (
	speedUnknown speed = iota // it has not answered yet
	speedQuick
	speedSlow
	// speedOverloaded is for a quick server that cannot keep up with the visits wanted in this
	// round: its longest download takes longer than the interval [HIER 3.1]. It has a pool of its
	// own [HIER 3.2].
	speedOverloaded
	speedCount
)

const (
	// slowAnswer is the least time of a slow answer.
	slowAnswer = 5 * time.Second
	// firstAnswer is the time for which an attempt at a server without answers is young.
	firstAnswer = time.Second
	// perWorker bounds all attempts per worker. Attempts at servers not known to be quick leave
	// room for one attempt per worker at others.
	perWorker = 8
	// mostSlow bounds the attempts beyond one per worker. A visit under way takes 50 KB and a
	// connection, and up to 256 KB while its page arrives. With this bound 64 workers take at most
	// 130 MB, as without it, and 1,000 workers 1.3 GB instead of 2 GB.
	mostSlow = 4096
)

// youth is how long attempts are young.
var youth = [speedCount]time.Duration{speedUnknown: firstAnswer, speedQuick: slowAnswer,
	speedSlow:       0,
	speedOverloaded: slowAnswer}

// speeds holds the speeds of all servers. They outlive queues and rounds.
type speeds struct {
	all   []speed
	quick int // number of quick servers
}

func (m *speeds) get(s sitegraph.ServerID) speed {
	if int(s) < len(m.all) {
		return m.all[s]
	}
	return speedUnknown
}

// note learns how long an answer took. Without an answer it learns only that the server is slow.
func (m *speeds) note(s sitegraph.ServerID, took time.Duration, answered bool) {
	now := speedQuick
	switch {
	case took >= slowAnswer:
		now = speedSlow
	case !answered:
		return
	}
	for int(s) >= len(m.all) {
		m.all = append(m.all, speedUnknown)
	}
	if m.all[s] == speedQuick {
		m.quick--
	}
	if now == speedQuick {
		m.quick++
	}
	m.all[s] = now
}

// speedClass holds the attempts of one speed.
type speedClass struct {
	under int
	young int
	queue []begun // young attempts in order of their beginning; some are over
	head  int
}

// attempt is a visit or a look-up, under way or over.
type attempt struct {
	began time.Time
	speed speed // at its beginning
	up    bool
	old   bool
}

type begun struct {
	of    *attempt
	began time.Time
}

// isYoung reports whether this attempt is under way and young.
func (b *begun) isYoung() bool { return b.of.up && !b.of.old && b.of.began.Equal(b.began) }

// mostUnderWay bounds the visits under way.
func mostUnderWay(workers int) int { return min(perWorker*workers, workers+mostSlow) }

func newLimiter(workers int, met *speeds) limiter { return limiter{workers: workers, met: met} }

// free reports whether one more attempt at a quick server may begin.
func (m *limiter) free(now time.Time) bool {
	young := 0
	for p := range m.classes {
		m.classes[p].age(speed(p), now)
		young += m.classes[p].young
	}
	return young < m.workers && m.inFlight < mostUnderWay(m.workers)
}

// hasRoom reports whether one more attempt of a speed may begin.
func (m *limiter) hasRoom(s speed, now time.Time) bool {
	if !m.free(now) {
		return false
	}
	if s == speedQuick {
		return true
	}
	if s == speedOverloaded {
		return m.classes[speedOverloaded].young < m.workers-min(m.feasible, m.workers/2)
	}
	kept := min(m.met.quick, m.workers/2) // for quick servers
	if m.scarce {                         // discovery gets what refresh leaves
		kept = min(m.met.quick, m.workers-max(m.workers/8, 1))
	}
	room := mostUnderWay(m.workers) - m.workers
	return m.classes[speedUnknown].under+m.classes[speedSlow].under < room &&
		(s == speedSlow || m.classes[speedUnknown].young < m.workers-kept)
}

// next returns the speed of the next attempt, among those that are ready. They take turns.
func (m *limiter) next(now time.Time, ready func(speed) bool) (speed, bool) {
	for range speedCount {
		s := m.turn
		m.turn = (m.turn + 1) % speedCount
		if ready(s) && m.hasRoom(s, now) {
			return s, true
		}
	}
	return 0, false
}

// age counts the attempts that have become old.
func (c *speedClass) age(s speed, now time.Time) {
	for ; c.head < len(c.queue); c.head++ {
		b := c.queue[c.head]
		if b.isYoung() {
			if now.Sub(b.began) < youth[s] {
				return
			}
			b.of.old = true
			c.young--
		}
	}
	c.queue, c.head = c.queue[:0], 0
}

// nextOld returns when the next attempt becomes old, at most a given time.
func (m *limiter) nextOld(most time.Time) time.Time {
	for p := range m.classes {
		c := &m.classes[p]
		for ; c.head < len(c.queue); c.head++ {
			if b := c.queue[c.head]; b.isYoung() {
				most = sooner(b.began.Add(youth[p]), most)
				break
			}
		}
	}
	return most
}

func (m *limiter) noteStart(t *attempt, s speed, now time.Time) {
	*t = attempt{speed: s, began: now, up: true, old: youth[s] == 0}
	m.inFlight++
	c := &m.classes[s]
	c.under++
	if t.old {
		return
	}
	c.young++
	if c.head > 1024 && c.head > len(c.queue)/2 { // free the part before head
		c.queue = append(c.queue[:0], c.queue[c.head:]...)
		c.head = 0
	}
	c.queue = append(c.queue, begun{t, now})
}

func (m *limiter) noteEnd(t *attempt) {
	m.inFlight--
	c := &m.classes[t.speed]
	c.under--
	if !t.old {
		c.young--
	}
	t.up = false
}
