package words

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Second: "0 seconds", 0: "0 seconds", time.Second: "1 second",
		59600 * time.Millisecond: "60 seconds", time.Minute: "1 minute",
		90 * time.Second: "90 seconds",
		3 * time.Minute:  "3 minutes", time.Hour: "1 hour", 90 * time.Minute: "90 minutes",
		36 * time.Hour: "36 hours", day: "1 day", 2 * day: "2 days", 9400 * day: "26 years",
		30*day + 5*time.Minute: "30 days",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// Duration leaves zeros out, and what it writes is read back as the same length of time.
func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", 90 * time.Second: "1m30s", time.Minute: "1m", time.Hour: "1h",
		10 * time.Minute: "10m", 10 * time.Hour: "10h", 90 * time.Minute: "1h30m",
		168 * time.Hour: "168h", time.Hour + time.Second: "1h0m1s", -time.Hour: "-1h",
		1500 * time.Millisecond: "1.5s", time.Millisecond: "1ms",
	} {
		got := Duration(d)
		if back, err := time.ParseDuration(got); got != want || err != nil || back != d {
			t.Errorf("%v: %q, want %q; read back %v, %v", d, got, want, back, err)
		}
	}
}
