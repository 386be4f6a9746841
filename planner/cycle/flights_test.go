package cycle

import (
	"testing"
	"time"
)

// However many workers there are, flights to slow servers are bounded, and leave room for quick
// ones.
func TestMostFlights(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for workers, slows := range map[int]int{2: 14, 64: 448, 1000: mostSlow, 10_000: mostSlow} {
		f := newFlights(workers, &paces{quick: workers})
		begin := func(p pace) (n int) {
			for f.hasRoom(p, now) {
				f.takeOff(&flight{}, p, now)
				n++
			}
			return n
		}
		if n := begin(slow); n != slows {
			t.Errorf("%d workers: %d visits to slow servers under way, want %d", workers, n, slows)
		}
		if n := begin(quick); n != workers {
			t.Errorf("%d workers: %d visits to quick servers under way beside them", workers, n)
		}
	}
}
