package crawl

import (
	"time"

	"github.com/recrawl/recrawl/planner"
)

// Preview is what Run would do next, as far as that is known before any outcome.
type Preview struct {
	Current planner.Round // the round that now is in, with what is left of its budget
	Next    planner.Round // the one after it

	// that of the visits: Current, or Next where nothing is left to do in it
	Round   planner.Round
	Visits  []planner.Visit // in order
	Further int             // visits of the round beyond those listed
}

// DryRun plans the round that Run would carry out at now, and lists at most that many of its
// visits. The planner is left within that round. Nothing is written.
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
			continue // as Run does
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
