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
