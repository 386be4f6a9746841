package estimator

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

func TestLastModifiedWorkedValues(t *testing.T) {
	for _, c := range []struct {
		changes, intervals int
		quiet, want        float64
	}{
		{0, 10, 10, 0},
		{1, 2, 1, 1 / (2 * math.Ln2)},             // X' = -1 / (2 ln(1/2))
		{5, 10, 4, (4 + 0.5/math.Ln2) / 4},        // 4 - 5 / (10 ln(1/2))
		{10, 10, 5, 9. / 5},                       // the limit at X = N
		{1, 1, 5, 0},                              // one access shows nothing
		{1, 1_000_000, 1000, 1e-3 * (1 - 0.5e-6)}, // no bias with many intervals
		{3, 5, 0, FastestRate},                    // modified in the second of each visit
		{3, 5, math.Inf(1), FastestRate}, {9, -1, 1, 0},
	} {
		if got := LastModified(c.changes, c.intervals, c.quiet); !near(got, c.want,
			1e-8*(1+c.want)) {
			t.Errorf("last-modified(%d, %d, %g) = %g, want %g",
				c.changes, c.intervals, c.quiet, got, c.want)
		}
	}
}

// accesses sums visits one by one, as LastModified needs them.
type accesses struct {
	changes, intervals int
	quiet              float64 // days
}

func (a *accesses) add(interval, sinceModified time.Duration) {
	a.intervals++
	if sinceModified < interval {
		a.changes++
	}
	a.quiet += Days(min(sinceModified, interval))
}

// modified simulates a page that sends the time of its last change, visited at equal intervals. It
// returns the history and the sums access by access.
func modified(rng *rand.Rand, rate, interval float64, visits int) (sitegraph.History, accesses) {
	h := sitegraph.Start(epoch)
	var sums accesses
	last, next := 0.0, rng.ExpFloat64()/rate
	for i := 1; i <= visits; i++ {
		now := float64(i) * interval
		changed := next <= now
		for next <= now {
			last = next
			next += rng.ExpFloat64() / rate
		}
		h.See(epoch.Add(FromDays(now)), changed, epoch.Add(FromDays(last)))
		since := FromDays(now - last)
		if !changed {
			since = FromDays(now) // longer than the interval
		}
		sums.add(FromDays(interval), since)
	}
	return h, sums
}

// A page changes three times a visit: the estimator finds the rate, and its interval contains the
// rate 95 times of 100. The histories keep the necessary data.
func TestLastModifiedOnSimulatedPages(t *testing.T) {
	const pages = 2000
	rng := seedOf(t, 51)
	for _, rate := range []float64{0.2, 1, 3} {
		sum, squares, missed := 0.0, 0.0, 0
		for range pages {
			h, sums := modified(rng, rate, 1, 40)
			e := LastModifiedEstimate(h, true)
			// a history keeps whole seconds
			if got := LastModified(sums.changes, sums.intervals, sums.quiet); !near(e.RatePerDay,
				got, 2e-3*got+1e-9) {
				t.Fatalf("of the history %g, access by access %g", e.RatePerDay, got)
			}
			sum += e.RatePerDay
			squares += e.RatePerDay * e.RatePerDay
			if rate < e.Low || rate > e.High {
				missed++
			}
		}
		mean := sum / pages
		if tolerance := 4*math.Sqrt((squares/pages-mean*mean)/pages) + 0.01*rate; !near(mean, rate,
			tolerance) {
			t.Errorf("rate %g: %g in the mean, want within %g", rate, mean, tolerance)
		}
		tolerance := 4.5 * math.Sqrt(Level*(1-Level)/pages)
		if held := 1 - float64(missed)/pages; !near(held, Level, tolerance) {
			t.Errorf("rate %g: %.4f of the intervals hold it, want %g +- %.4f",
				rate, held, Level, tolerance)
		}
	}
	once := LastModifiedEstimate(sitegraph.Start(epoch), true)
	if once.RatePerDay != 0 || once.Warning == "" {
		t.Errorf("visited once: %+v", once)
	}
	if e := LastModifiedEstimate(daily(5, 1, 2), false); e.Warning == "" {
		t.Errorf("a page that tells nothing: %+v", e)
	}
}
