package cycle

import "time"

// flights are the visits under way. Workers bounds those that began within slowAnswer, of servers
// not known to be slow. Others are not counted, up to flightsPerWorker times as many in all:
// servers that take a minute to answer hold up nobody else.
type flights struct {
	inFlight int
	slow     int      // to servers whose last answer was slow
	stalled  []*place // ready, but so many slow ones are under way
	queue    []flight // in the order in which they began; some are over
	head     int
	older    int // under way for slowAnswer and more
}

type flight struct {
	line  *line
	began time.Time
}

const (
	// slowAnswer is how long an answer takes that is slow.
	slowAnswer = 5 * time.Second
	// flightsPerWorker bounds all visits under way, and those to servers known to be slow leave
	// room for one of others a worker.
	flightsPerWorker = 8
)

// young is the number of visits that began lately.
func (f *flights) young() int { return f.inFlight - f.older }

// free reports whether one more visit may begin.
func (f *flights) free(workers int, now time.Time) bool {
	f.age(now)
	return f.young() < workers && f.inFlight < flightsPerWorker*workers
}

// age counts the visits that have become old.
func (f *flights) age(now time.Time) {
	for ; f.head < len(f.queue); f.head++ {
		q := f.queue[f.head]
		if q.under() {
			if now.Sub(q.began) < slowAnswer {
				return
			}
			q.line.old = true
			f.older++
		}
	}
	f.queue, f.head = f.queue[:0], 0
}

// under reports whether this very visit of the line is still under way.
func (q *flight) under() bool { return q.line.busy && q.line.began.Equal(q.began) && !q.line.old }

// nextOld is when the next visit becomes old, at most a given moment.
func (f *flights) nextOld(most time.Time) time.Time {
	for ; f.head < len(f.queue); f.head++ {
		if q := f.queue[f.head]; q.under() {
			return sooner(q.began.Add(slowAnswer), most)
		}
	}
	return most
}

func (f *flights) takeOff(l *line, now time.Time) {
	l.began, l.old = now, l.slow
	f.inFlight++
	if l.slow { // it will be old
		f.slow++
		f.older++
		return
	}
	if f.head > 1024 && f.head > len(f.queue)/2 { // give back what is past
		f.queue = append(f.queue[:0], f.queue[f.head:]...)
		f.head = 0
	}
	f.queue = append(f.queue, flight{l, now})
}

func (f *flights) land(l *line) {
	f.inFlight--
	if l.old {
		f.older--
		l.old = false
	}
	if l.slow {
		f.slow--
	}
}
