package crawl

import (
	"testing"
	"time"
)

// Attempts at slow servers are bounded for any number of workers, and leave room for quick servers.
func TestMostFlights(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for workers, slows := range map[int]int{2: 14, 64: 448, 1000: mostSlow, 10_000: mostSlow} {
		f := newLimiter(workers, &speeds{quick: workers})
		begin := func(s speed) (n int) {
			for f.hasRoom(s, now) {
				f.noteStart(&attempt{}, s, now)
				n++
			}
			return n
		}
		if n := begin(speedSlow); n != slows {
			t.Errorf("%d workers: %d visits to slow servers under way, want %d", workers, n, slows)
		}
		if n := begin(speedQuick); n != workers {
			t.Errorf("%d workers: %d visits to quick servers under way beside them", workers, n)
		}
	}
}
