package requisite

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/planner/budget"
)

// window counts the use in an hour or day of UTC.
type window struct {
	Per      time.Duration `json:"per"`
	Begin    time.Time     `json:"begin"`
	Requests int64         `json:"requests"`
	Bytes    int64         `json:"bytes"`
}

// purse is a budget: its limits and their use.
type purse struct {
	limits  []budget.Limit
	windows []window // one for each period
}

func newPurse(limits []budget.Limit) *purse {
	return &purse{limits: limits, windows: []window{{Per: time.Hour}, {Per: budget.Day}}}
}

// restore takes over the use of an earlier process.
func (p *purse) restore(used []window) {
	for _, u := range used {
		for i := range p.windows {
			if p.windows[i].Per == u.Per && u.Requests >= 0 && u.Bytes >= 0 {
				p.windows[i] = u
			}
		}
	}
}

// open starts the windows at a time. A window slightly in the future stays: the clock went back,
// and its use must not be repeated.
func (p *purse) open(now time.Time) {
	for i := range p.windows {
		w := &p.windows[i]
		begin := now.UTC().Truncate(w.Per)
		if begin.After(w.Begin) || begin.Before(w.Begin.Add(-w.Per)) {
			*w = window{Per: w.Per, Begin: begin}
		}
	}
}

// needShare is the divisor of a small budget: that part must be left for another answer.
const needShare = 4

// left returns how many octets another answer may have. 0 means none before until.
func (p *purse) left(now time.Time, most int64) (octets int64, until time.Time) {
	p.open(now)
	octets = most
	for _, l := range p.limits {
		for _, w := range p.windows {
			if w.Per != l.Per {
				continue
			}
			room, need := int64(math.MaxInt64), int64(0)
			switch {
			case l.Unit == budget.InBytes:
				room, need = int64(l.Amount)-w.Bytes, min(most, int64(l.Amount/needShare)+1)
			case float64(w.Requests+1) > l.Amount:
				room, need = 0, 1
			}
			if room < need {
				octets, until = 0, later(until, w.Begin.Add(w.Per))
			}
			octets = min(octets, max(room, 0))
		}
	}
	return octets, until
}

// reservation is the part of the current windows that an answer may use.
type reservation struct {
	octets int64
	begins []time.Time
}

// reserve counts a request and the octets of its answer.
func (p *purse) reserve(octets int64) reservation {
	r := reservation{octets: octets}
	for i := range p.windows {
		w := &p.windows[i]
		w.Requests++
		w.Bytes += octets
		r.begins = append(r.begins, w.Begin)
	}
	return r
}

// charge replaces a reservation by the octets read. A window that began later only gets the octets
// read. If no octet was read, no request was sent.
func (p *purse) charge(r reservation, now time.Time, read int64) {
	p.open(now)
	for i := range p.windows {
		w := &p.windows[i]
		if !w.Begin.Equal(r.begins[i]) {
			w.Bytes += read
			continue
		}
		w.Bytes = max(w.Bytes+read-r.octets, 0)
		if read == 0 {
			w.Requests = max(w.Requests-1, 0)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
