package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
)

// [HIER eq. 2, 3]: the load of a server is the sum of the rates of its pages.
func TestAccessInterval(t *testing.T) {
	load := RateOf(10*Second) + RateOf(10*Second) + RateOf(20*Second)
	if got := load.Interval(); got != 4*Second {
		t.Errorf("1/L is %d, want 4000", got)
	}
	for _, c := range []struct {
		load        Rate
		least, want Tick
	}{{load, 10 * Second, 10 * Second}, {load, 1, 4 * Second}, {0, 10 * Second, 0},
		{RateOf(0), 5, 0}, {RateOf(-7), 5, 0}} {
		if got := AccessInterval(c.load, c.least); got != c.want {
			t.Errorf("interval of load %d, at least %d: %d, want %d", c.load, c.least, got, c.want)
		}
	}
}

// [HIER eq. 5] with the example of its text, and cancelled periods.
func TestDeadline(t *testing.T) {
	for _, c := range []struct{ now, interval, mean, want Tick }{
		{25, 10, 1, 29}, {0, 10, 1, 9}, {10, 10, 1, 19}, {1005, 10, 3, 1007},
	} {
		s := New(EDF)
		got := s.Status(s.Add(c.now,
			Server{Load: RateOf(c.interval), Times: Times{Mean: c.mean}})).Deadline
		if got != c.want {
			t.Errorf("deadline at %d, I=%d, e=%d: %d, want %d",
				c.now, c.interval, c.mean, got, c.want)
		}
	}
}

// [HIER eq. 6] rounded up. In tenths of a second: t=26.5, I=10 waits 3.5.
func TestPause(t *testing.T) {
	for _, c := range []struct{ now, interval, least, want Tick }{
		{265, 100, 10, 35}, {265, 100, 50, 50}, {300, 100, 10, 10}, {1, 100, 1, 99},
		{299, 100, 10, 10},
	} {
		if got := Pause(c.now, c.interval, c.least); got != c.want {
			t.Errorf("pause at %d, I=%d, I_min=%d: %d, want %d",
				c.now, c.interval, c.least, got, c.want)
		}
	}
}

// [HIER eq. 4]: a server beyond one connection takes one whole.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		took, interval Tick
		want           float64
	}{{5, 10, 0.5}, {10, 10, 1}, {99, 10, 1}, {0, 10, 0}, {5, 0, 0},
		{1, 475_200_000, 1 / 475_200_000.}} {
		if got := ShareOf(c.took, c.interval).Connections(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("share of %d in %d: %v, want %v", c.took, c.interval, got, c.want)
		}
	}
	if got := (ShareOf(5, 10) + ShareOf(99, 10) + ShareOf(1, 1000)).Ceil(); got != 2 {
		t.Errorf("bound %d, want 2", got)
	}
}

// Sums are exact: adding and subtracting leaves nothing, in any order.
func TestRateSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var load Rate
	var all []Tick
	for range 10_000 {
		all = append(all, 1+Tick(rng.Int64N(int64(100*Day))))
	}
	for _, i := range all {
		load += RateOf(i)
	}
	for _, i := range rng.Perm(len(all)) {
		load -= RateOf(all[i])
	}
	if load != 0 {
		t.Errorf("%d is left", load)
	}
	if i := RateOf(100 * Day).Interval(); math.Abs(float64(i)/float64(100*Day)-1) > 1e-5 {
		t.Errorf("100 days become %v", i)
	}
}

// Encoded times are decoded again, and nonsense is refused.
func TestTimes(t *testing.T) {
	var seen Times
	for _, took := range []Tick{1000, 3000, 2000} {
		seen.Observe(took)
	}
	if seen.Mean != 2000 || seen.Max < 2990 || seen.Max > 3000 || seen.Count != 3 {
		t.Errorf("%+v", seen)
	}
	if again, err := DecodeTimes(seen.Encode()); err != nil || again != seen {
		t.Errorf("%+v, %v", again, err)
	}
	for _, bad := range []string{"", "{", `{"mean":-1,"max":2}`, `{"mean":5,"max":2}`} {
		if got, err := DecodeTimes([]byte(bad)); err == nil || got != (Times{}) {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
	}
	for range 2000 {
		seen.Observe(10_000)
	}
	if seen.Mean < 9900 {
		t.Errorf("after 2000 slow downloads the mean is %d", seen.Mean)
	}
}
