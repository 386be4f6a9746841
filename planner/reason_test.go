package planner_test

import (
	"math"
	"testing"

	"github.com/recrawl/recrawl/planner"
)

// A reason writes times in a suitable unit, and the singular for one.
func TestReasonSaysSpans(t *testing.T) {
	for days, want := range map[float64]string{
		1. / 86400: "1 second", 0.00255: "4 minutes", 0.00195: "3 minutes", 0.5: "12 hours",
		2.25: "2 days", 30: "30 days", 9300: "25 years", math.Inf(1): "more than 200 years",
	} {
		if got := planner.Because("%s ago", days).String(); got != want+" ago" {
			t.Errorf("%g days: %q, want %q", days, got, want+" ago")
		}
	}
}
