package policy

import (
	"time"

	"github.com/recrawl/recrawl/planner"
)

// periods divides the time since the start of the first round into periods of equal length. Rounds
// last from a second to a day, so their numbers show no time.
type periods struct {
	length int64 // seconds
	origin int64 // unix seconds; the start of the first round
	begun  bool
	number int // of the period in which the last round ended
}

func newPeriods(length time.Duration) periods {
	return periods{length: int64(length / time.Second)}
}

const week = 7 * planner.Day

// begin reports whether a round is the first to end in its period, like the very first round.
func (p *periods) begin(r planner.Round) bool {
	if !p.begun {
		p.begun, p.origin = true, r.Start.Unix()
		return true
	}
	number := int((r.End.Unix() - p.origin) / p.length)
	changed := number != p.number
	p.number = number
	return changed
}
