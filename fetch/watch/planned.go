package watch

import (
	"errors"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// Closed is the error of hours without room for a round.
type Closed struct{ error }

// Hint returns a setting that helps.
func (*Closed) Hint() string { return "shorter rounds have room: --round 5m" }

// Plan sets the options of a planner by the rules of a file: MaxAges, Rests and Watched. round is
// the length of a round. The greatest ages of the file come before maxAges, those of the user (see
// preferences.ParseMaxAges). With a nil file, Plan only sets MaxAges to maxAges. It returns a
// *Closed if the hours of a rule have no room for a round.
func Plan(f *File, maxAges []string, round time.Duration, o *planner.Options) (err error) {
	if f == nil {
		o.MaxAges, err = preferences.ParseMaxAges(maxAges)
		return err
	}
	if closed := f.Closed(round); closed != "" {
		return &Closed{errors.New(closed)}
	}
	var rests []preferences.RestRule
	f.Rests(func(pages string, minAge time.Duration, hours *preferences.Calendar) {
		rests = append(rests, preferences.RestRule{Prefix: pages, MinAge: minAge, Hours: hours})
	})
	o.Rests = preferences.NewRests(rests)
	o.Watched = f.Watches
	o.MaxAges, err = preferences.ParseMaxAges(f.MaxAges(maxAges))
	return err
}

// Sight passes the visits of a loop to a watch. With a nil Watch it does nothing.
type Sight struct {
	Watch *Watch
	named []string // pages that became known since the last visit
}

// Found is for crawl.Options.Found.
func (s *Sight) Found(c *planner.Pages, page sitegraph.PageID) {
	if s.Watch != nil {
		s.named = append(s.named, c.URL(page))
	}
}

// See is for crawl.Options.Seen.
func (s *Sight) See(e *crawl.Event) {
	s.Watch.See(&Visit{URL: e.Record.URL, Observation: &e.Observation, Verdict: e.Verdict,
		Errors: int(e.Record.Errors), Before: e.Before, Named: s.named})
	s.named = s.named[:0]
}
