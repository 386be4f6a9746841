package crawl

import (
	"time"

	"github.com/recrawl/recrawl/planner"
)

// Preview is what Run would do next, without knowledge of future outcomes.
type Preview struct {
	Current planner.Round // the current round, with the rest of its budget
	Next    planner.Round // the round after it

	// Round has the visits: it is Current, or Next if Current is finished.
	Round   planner.Round
	Visits  []planner.Visit // in order
	Further int             // visits of the round beyond those listed
}

// DryRun plans the round that Run would carry out at now, and lists at most a number of its visits.
// It leaves the planner within that round and writes nothing.
func DryRun(
	s Store,
	p *planner.Planner,
	perDay float64,
	length time.Duration,
	now time.Time,
	most int,
) (*Preview, error) {
	current, next, err := Upcoming(s, perDay, length, now)
	if err != nil {
		return nil, err
	}
	if err := p.Caps().Load(s.Setting); err != nil {
		return nil, err
	}
	if _, err := p.Pages.LoadDenied(s.Setting); err != nil {
		return nil, err
	}
	if _, err := RestoreHints(s, p.Pages); err != nil {
		return nil, err
	}
	ahead := &Preview{Current: current, Next: next}
	for _, r := range []planner.Round{current, next} {
		ahead.Round, ahead.Further = r, 0
		if before, ok := p.Before(); ok && r.Budget == 0 && r.Number == before {
			continue // like Run
		}
		p.Begin(r)
		for v, ok := p.Next(); ok; v, ok = p.Next() {
			if len(ahead.Visits) < most {
				ahead.Visits = append(ahead.Visits, v)
			} else {
				ahead.Further++
			}
		}
		if len(ahead.Visits) > 0 {
			break
		}
	}
	return ahead, nil
}
