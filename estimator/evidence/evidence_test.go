package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.5g, want %.5g within %.2g", what, got, want, within)
	}
}

// An account counts each visit, keeps within its spans, and expects more of a longer time. It
// expects the same with and without sums.
func TestAccount(t *testing.T) {
	r, e, days := newRand(), Account{}, 0.0
	if e.Told() || e.Rate(0.3) != 0.3 || e.Since(2, 4, 0.5) != 1 {
		t.Error("an account that nobody told has an opinion of its own")
	}
	for day := range 400 {
		to := float32(day) + r.Float32()
		from, changed := to-20*r.Float32(), r.IntN(4) == 0
		days += float64(to - from)
		e.Observe(from, to, changed, 0.02)
		if len(e.spans) > maxSpans {
			t.Fatalf("%d spans", len(e.spans))
		}
	}
	near(t, "days", float64(e.Days), days, 1e-3*days)
	if e.Visits != 400 || e.Changes < 60 || e.Changes > 140 {
		t.Errorf("%v visits saw %v changes", e.Visits, e.Changes)
	}
	var all sums
	for k := len(e.spans) - 1; k >= 0; k-- {
		if by := e.later(k); by != all {
			t.Errorf("spans after %d: %v by sums that are kept, want %v", k, by, all)
		}
		all = e.earlier(all, k)
	}
	since := func(from float32) float32 { return e.Since(from, 420, 0.02) }
	for from := float32(-30); from < 419; from += 3.7 {
		if part := e.Part(from, from+1, 420, 0.02); since(from) <= since(from+1) ||
			part != since(from+1)/since(from) {
			t.Errorf("day %v: %v changes since, %v of them a day later", from, since(from), part)
		}
	}
}

// A change is spread to times when the group is known to have changed, and its mass is one.
func TestAccountSpreads(t *testing.T) {
	var e Account
	for range 50 {
		e.Observe(9, 10, false, 0.1)
		e.Observe(10, 11, true, 0.1)
	}
	e.Observe(9, 11, true, 0.1)
	near(t, "the mass of the changes", float64(e.spans[0].mass+e.spans[1].mass), 51, 1e-4)
	if late := e.Since(10, 11, 0.1); late < 0.9 || e.Since(9, 11, 0.1)-late > 0.1 {
		t.Errorf("%.2f changes on their day", late)
	}
}

// A tally multiplies odds by the surplus over the expected changes, pulled toward 1, within bounds.
func TestTally(t *testing.T) {
	for _, c := range []struct {
		visits, changed int
		expected        float32
		least, most     float32
	}{
		{0, 0, 0.1, 1, 1},
		{20, 2, 0.1, 0.99, 1.01}, // as expected
		{1, 1, 0.1, 1.2, 3},      // chance
		{40, 40, 0.1, mostEffect, mostEffect},
		{400, 0, 0.5, 1. / mostEffect, 1. / mostEffect},
		{40, 12, 0.1, 2, 4},
	} {
		var f Tally
		for i := range c.visits {
			f.See(float32(i), float32(i)+0.5, 1, i < c.changed, c.expected, nil)
			if len(f.spans) > tallySpans {
				t.Fatalf("%d spans", len(f.spans))
			}
		}
		all := f.Since(-1)
		near(t, "visits", float64(all.Visits), float64(c.visits), 0.01)
		near(t, "changes", float64(all.Changed), float64(c.changed), 0.01)
		if ratio := all.Ratio(2); ratio < c.least || ratio > c.most {
			t.Errorf("%+v: the factor is %.3f", c, ratio)
		}
		if beyond := all.Beyond(all.Ratio(0)).Ratio(2); c.changed > 0 && c.changed < c.visits {
			near(t, "the factor beyond what was seen", float64(beyond), 1, 0.02)
		}
	}
}

// Trust falls if outcomes of others mislead, and rises if they predict, within bounds.
func TestTrust(t *testing.T) {
	for _, changed := range []bool{false, true} {
		trust := Trust{First: 0.6}
		for range 2000 {
			trust.See(0, changed, 0.5, 5)
		}
		if of := trust.Of(1); changed && of != mostTrust || !changed && of != 0 {
			t.Errorf("changed %v: a trust of %.2f", changed, of)
		}
	}
}

// The best expert wins, and weights are shares. A mixture loses almost nothing against its best
// member, also after another one becomes the best.
func TestMixture(t *testing.T) {
	r, m := newRand(), Mixture{}
	for k := range m.First {
		m.First[k] = 1. / Experts
	}
	for best := range 2 {
		var loss, bestLoss float64
		for range 4000 {
			p := 0.02 + 0.96*r.Float64()
			changed := r.Float64() < p
			var o Opinions // a wrong expert has no opinion, or the opposite one
			for k := range o {
				o[k] = float32(k%2) * -float32(math.Log(p/(1-p)))
			}
			o[best] = float32(math.Log(p / (1 - p)))
			odds := m.Cached(3).LogOdds(&o)
			m.Ask(1, o)
			m.See(1, 3, changed, 1/(1+Exp32(-odds)))
			loss, bestLoss = loss+logLoss(odds, changed), bestLoss+logLoss(o[best], changed)
		}
		w := m.Weights(3)
		sum := float32(0)
		for _, x := range w {
			sum += x
		}
		near(t, "the sum of the weights", float64(sum), 1, 1e-4)
		if w[best] < 0.8 || slices.Max(w[:]) != w[best] {
			t.Errorf("expert %d, the only one that is right, has the weights %.2f", best, w)
		}
		near(t, "loss a visit", loss/4000, bestLoss/4000, 0.02)
	}
}

// A calibrated probability rises with the plain one, and approaches the share that came true.
func TestCalibrator(t *testing.T) {
	r, c := newRand(), Calibrator{}
	near(t, "before any outcome", float64(c.Of(0.37)), 0.37, 1e-6)
	for range 20000 {
		p := r.Float32()
		c.See(p, r.Float32() < p*p, 100) // overrated, except at the ends
	}
	before := float32(-1)
	for p := float32(0); p <= 1; p += 1. / 128 {
		of := c.Of(p)
		if of <= before || of > 1 {
			t.Fatalf("%.3f is calibrated to %.4f, what is less to %.4f", p, of, before)
		}
		near(t, "calibrated", float64(of), float64(p*p), 0.06)
		before = of
	}
}

// A mean is pulled toward that of a larger group and forgets. Gaps are classed by their length.
func TestGaps(t *testing.T) {
	var m Mean
	for range 100 {
		m.See(true, 9)
	}
	near(t, "the mean of the last ten and of ten others", float64(m.Toward(0, 10)), 0.5, 1e-5)
	var g Gaps
	g.Add(1, 1000, 500, 400)
	for range 100 {
		g.Add(1./24, 1, 0, 50)
	}
	for days, want := range map[float32]float64{1: 0.5, 1. / 24: 0.5 * gapPrior / 60, 30: 0.5} {
		near(t, "the share after a gap", float64(g.Share(days, 0.5)), want, 0.01)
	}
	if own := OddsByGap(0.5, 10, 9, 5); own < 2 {
		t.Errorf("a page that changed twice as often as expected has the odds %.2f", own)
	}
}

// A whole day counts as a day. If pages change by day alone, more time passes by day than by night.
func TestDayTimes(t *testing.T) {
	var d DayTimes
	for day := range 60 {
		d.Begin(float32(day))
		for hour := range 24 {
			from := float32(day) + float32(hour)/24
			d.See(0, from, from+1./24, hour >= 8 && hour < 20 && (day+hour)%2 == 0, -2)
		}
	}
	for _, from := range []float32{60, 60.3, 60.99} {
		near(t, "a day", float64(d.Passed(0, from, from+1)), 1, 1e-3)
		near(t, "a week elsewhere", float64(d.Passed(5, from, from+7)), 7, 1e-3)
	}
	if day, night := d.Passed(0, 60.4, 60.8), d.Passed(0, 60.9, 61.3); day < 2*night || night < 0 {
		t.Errorf("%.3f of a day passes by day, %.3f by night", day, night)
	}
}

// A history has its weeks in order. A division whose parts changed in different weeks gains by it.
func TestWeeks(t *testing.T) {
	h := sitegraph.History{Epoch: 90 * secondsPerWeek, Last: 100*secondsPerWeek + 5, Visits: 4,
		WeeksSeen: 0b10011, WeeksChanged: 0b00010}
	until, told := h.Epoch, ""
	for week := uint32(60); week < 101; week++ {
		if from, to, changed, ok := InWeek(&h, week); ok {
			told += fmt.Sprint(week, changed, " ")
			if from != until || sitegraph.Week(to) != week {
				t.Errorf("week %d: from %d to %d, before up to %d", week, from, to, until)
			}
			until = to
		}
	}
	if want := "96 false 99 true 100 false "; told != want {
		t.Errorf("told of %s, want %s", told, want)
	}
	var together, apart WeekShares
	for range 5 {
		together.Add(&h, 100)
		apart.Add(&sitegraph.History{Last: h.Last, WeeksSeen: 0b111, WeeksChanged: 0b001}, 100)
		apart.Add(&sitegraph.History{Last: h.Last, WeeksSeen: 0b111, WeeksChanged: 0b000}, 100)
	}
	if a, b := together.Gain(1./3), apart.Gain(1./6); !(a > b) || a < 1 {
		t.Errorf("a site whose pages change together gains %.2f, another one %.2f", a, b)
	}
}

// The mean of a server begins at that of all servers, and becomes its own.
func TestPooled(t *testing.T) {
	var p Pooled
	near(t, "nothing seen", float64(p.Of(0, 2, 0.3, 4)), 0.3, 1e-6)
	for range 996 {
		p.See(1, true, 1e9)
	}
	all := p.All.Toward(0.3, 4)
	near(t, "another server", float64(p.Of(5, 2, 0.3, 4)), float64(all), 1e-6)
	p.Add(5, 0, 1000, 1e9)
	near(t, "what brought all", float64(p.Of(1, 2, 0.3, 4)), 1, 0.01)
	near(t, "what brought nothing", float64(p.Of(5, 2, 0.3, 4)), 0, 0.01)
	near(t, "all", float64(p.All.Toward(0, 0)), 0.5, 0.01)
}

// A page is expected to change as its group did since its last visit, times its own changes
// relative to those of the group before.
func TestAccountExpected(t *testing.T) {
	var e Account
	for day := range 40 {
		e.Observe(float32(day), float32(day+1), day%4 == 0, 0.25)
	}
	expected := func(changes float32) float64 {
		return float64(e.Expected(changes, 0, 36, 40, 0.25, 1))
	}
	since, watched := float64(e.Since(36, 40, 0.25)), float64(e.Since(0, 36, 0.25))
	near(t, "a page that changed as often", expected(float32(watched)), since, 0.1*since)
	near(t, "one that never changed", expected(0), 0.05*since, 0.01*since)
	if new := float64(e.Expected(0, 36, 36, 40, 0.25, 1)); new < 10*expected(0) {
		t.Errorf("%.3f changes of a page that was not watched, %.3f of one that was", new,
			expected(0))
	}
}

// The content of a visit stays valid for a lag with the probability that the page does not change
// within that time.
func TestStays(t *testing.T) {
	near(t, "no lag", float64(Stays(0.5, 3, 0)), 1, 0)
	near(t, "a lag of the age", float64(Stays(0.3, 3, 3)), 0.7, 1e-3)
	near(t, "twice that", float64(Stays(0.3, 3, 6)), 0.49, 1e-3)
}

// If looks find as many changes as chance does, events prove false. If they find changes at each
// page, as many events are seen as there were.
func TestProven(t *testing.T) {
	r, v := newRand(), Proven{}
	near(t, "the ratio before any look", float64(v.Ratio(2)), 1, 1e-6)
	for range 2000 {
		v.Begin()
		v.Expect(1, 0.1)
		for range ProvingLooks {
			v.Look(1, r.Float32() < 0.3, 0.3)
		}
	}
	near(t, "the ratio by chance", float64(v.Ratio(1)), 0, 0.3)
	near(t, "the ratio of another server", float64(v.Ratio(2)), float64(v.All()), 1e-6)
	for range 200 {
		v.Begin()
		v.Expect(2, 0.5)
		for range ProvingLooks + 1 { // the third does not count
			v.Look(2, true, 0.3)
		}
	}
	near(t, "the ratio where each was one", float64(v.Ratio(2)), 2, 0.1)
}

// The share of a server is that of all at first. It becomes its own, by the length of the gap.
func TestStates(t *testing.T) {
	var v States
	for range 200 {
		v.See(0, 0.1, 0.1, true)
		v.See(0, 30, 30, false)
	}
	near(t, "all after a tenth of a day", float64(v.Share(1, 0.1, 0.1)), 1, 0.05)
	near(t, "all after a month", float64(v.Share(1, 30, 30)), 0, 0.05)
	for range 200 {
		v.Server(1).See(0.1, false, 100)
	}
	near(t, "a server of its own", float64(v.Share(1, 0.1, 0.1)), 0, 0.1)
	near(t, "another", float64(v.Share(0, 0.1, 0.1)), 1, 0.1)
}

// A page that is the same each day at the same hour differs from its copy after half days.
func TestStatesReturnAtTheSameHour(t *testing.T) {
	var v States
	for range 50 {
		for _, days := range []float32{2, 3} {
			v.See(0, days, days, false)
			v.See(0, days+0.5, days+0.5, true)
		}
	}
	for s, most := range []float32{0.1, 0.2} { // another server learns from it
		s := sitegraph.ServerID(s)
		if whole, half := v.Share(s, 2, 2), v.Share(s, 2.5, 2.5); whole > most || half < 0.7 {
			t.Errorf("server %d: shares of %.2f after whole days and %.2f after half days, want "+
				"about 0 and 1", s, whole, half)
		}
	}
}
