package policy

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// The shortest interval is a day, or a round if that is shorter: a page that changed at each visit
// is wanted in the next round.
func TestIntervalGoesBelowADay(t *testing.T) {
	for _, test := range []struct{ round, want time.Duration }{
		{2 * planner.Day, planner.Day},
		{planner.Day, planner.Day},
		{time.Hour, time.Hour},
		{time.Minute, time.Minute},
	} {
		l := simtest.NewLettered(t, map[string]string{"R": "/", "A": "/a"}, "R>A",
			rand.New(rand.NewPCG(1, 0)))
		policy, err := New("interval",
			Settings{Pages: l.Pages, Mode: planner.Stream})
		if err != nil {
			t.Fatal(err)
		}
		l.Planner = planner.New(l.Pages, policy, planner.Options{})
		end := simtest.At(0)
		for n := 1; n <= 5; n++ {
			end = end.Add(test.round)
			l.Planner.Begin(planner.Round{Number: n, Start: end.Add(-test.round), End: end,
				Budget: 2})
			for v, ok := l.Planner.Next(); ok; v, ok = l.Planner.Next() {
				r := &l.Records[v.Page]
				o := sitegraph.Observation{Time: end, Outcome: sitegraph.OutcomeFetched,
					Digests: r.Digests}
				if l.Letter[v.Page] == "A" {
					o.Digests.Bytes = sitegraph.DigestOf([]byte(fmt.Sprint(n)))
				}
				l.Planner.Observe(r, r.Apply(o, sitegraph.ChangeByBytes))
			}
		}
		due, interval := l.Planner.Due(l.Page["A"], end)
		wait := due.When.Sub(end)
		if interval.Round(time.Second) != test.want || wait.Round(time.Second) != test.want {
			t.Errorf("in rounds of %v a page that always changed is due after %v, by an interval "+
				"of %v; want %v", test.round, wait, interval, test.want)
		}
	}
}
