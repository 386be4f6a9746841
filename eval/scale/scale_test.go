package scale

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// A hand-run measurement until the command is there.
func TestByHand(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("SCALE_PAGES"))
	if n == 0 {
		t.Skip("set SCALE_PAGES and SCALE_DIR")
	}
	dir := os.Getenv("SCALE_DIR")
	w := NewWeb(n, min(n/10, 100_000), 20, 1)
	if _, err := os.Stat(dir); err != nil {
		start := time.Now()
		if err := Build(context.Background(), dir, w, func(int, int) {}); err != nil {
			t.Fatal(err)
		}
		fmt.Println("built in", time.Since(start), "resident", Resident()>>20)
		return
	}
	r, err := Measure(context.Background(), Options{Dir: dir, Web: w, Policy: "value", Seed: 1, Rounds: 6, Round: time.Hour, Budget: 0.02}, func(int, int) {})
	fmt.Printf("open %.1f s, first %.1f s, opened %d MiB, peak %d MiB\n", r.Open, r.First, r.OpenedBytes>>20, r.PeakBytes>>20)
	for _, x := range r.Rounds {
		fmt.Printf("%d visits %d changed %.2f s, %.0f/s, %d MiB, %.0f B read %.0f B written a visit\n", x.Visits, x.Changed, x.Seconds, float64(x.Visits)/x.Seconds, x.Resident>>20, float64(x.Read)/float64(x.Visits), float64(x.Written)/float64(x.Visits))
	}
	if err != nil {
		t.Fatal(err)
	}
}
