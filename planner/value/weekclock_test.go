package value

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// watched makes the histories of pages of some hidden groups, each of which changes as a whole
// about every eight weeks, that are visited so often in 32 weeks, at times of their own.
func watched(rng *rand.Rand, pages, groups, visits int) (histories []sitegraph.History) {
	const weekSeconds = 7 * secondsPerDay
	changed := make([][clockWeeks]bool, groups)
	for g := range changed {
		for w := range changed[g] {
			changed[g][w] = rng.IntN(8) == 0
		}
	}
	for i := range pages {
		const from = 2800 // weeks since 1970
		h := sitegraph.History{Epoch: from * weekSeconds, Visits: 1}
		saw := false
		for w := range clockWeeks {
			saw = saw || changed[i%groups][w]
			if rng.IntN(clockWeeks) >= visits {
				continue
			}
			later := sitegraph.Week(uint32((from+w)*weekSeconds)) - sitegraph.Week(max(h.Last,
				h.Epoch))
			h.Last = uint32((from+w)*weekSeconds + rng.IntN(weekSeconds))
			h.WeeksSeen, h.WeeksChanged = h.WeeksSeen<<later|1, h.WeeksChanged<<later
			h.Visits++
			if saw {
				h.Changes++
				h.WeeksChanged |= 1
			}
			saw = false
		}
		histories = append(histories, h)
	}
	return histories
}

// clocksOf reads pages that are in no part.
func clocksOf(histories []sitegraph.History) *weekClocks {
	c := &weekClocks{}
	for i := range histories {
		c.newest = max(c.newest, sitegraph.Week(histories[i].Last))
	}
	for i := range histories {
		c.read(sitegraph.PageID(i), &histories[i], -1)
	}
	return c
}

// Pages of groups that nobody names are parted by the weeks in which they changed: of those in a
// part nearly all are of one group.
func TestWeekClocksFindGroups(t *testing.T) {
	const groups = 4
	c := clocksOf(watched(rand.New(rand.NewPCG(1, 1)), 200, groups, 12))
	if !c.fit() {
		t.Fatal("found no parts")
	}
	var of [mostParts][groups]int
	for i := range c.pages {
		if q := &c.pages[i]; q.sure() {
			of[q.part][int(q.page)%groups]++
		}
	}
	most, all := 0, 0
	for _, pages := range of {
		best := 0
		for _, n := range pages {
			best, all = max(best, n), all+n
		}
		most += best
	}
	if all < 150 || most < all*9/10 {
		t.Errorf("of %d pages in parts %d are with most of their group: %v", all, most, of)
	}
}

// Where all pages change at once there is one part.
func TestWeekClocksOfOneGroup(t *testing.T) {
	if c := clocksOf(watched(rand.New(rand.NewPCG(2, 2)), 200, 1, 12)); c.fit() {
		t.Error("pages that change together were parted")
	}
}

// What was learnt of looks is the same however they are told: what was the same twice is one look.
func TestLooksOfWeeks(t *testing.T) {
	const weekSeconds = 7 * secondsPerDay
	h := sitegraph.History{
		Epoch: 2000 * weekSeconds, Last: 2020 * weekSeconds, Visits: 6, Changes: 2,
		WeeksSeen: 1<<15 | 1<<10 | 1<<6 | 1<<3 | 1, WeeksChanged: 1<<15 | 1<<3,
	}
	c := &weekClocks{newest: 2021}
	c.read(7, &h, -1)
	want := []look{{10, 15, true}, {15, 24, false}, {24, 27, true}, {27, 30, false}}
	if fmt.Sprint(c.looks) != fmt.Sprint(want) {
		t.Errorf("looks %v, want %v", c.looks, want)
	}
}

func BenchmarkWeekClocks(b *testing.B) {
	for _, groups := range []int{1, 8} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			histories := watched(rand.New(rand.NewPCG(1, 1)), mostParted, groups, 5)
			for b.Loop() {
				clocksOf(histories).fit()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/mostParted, "ns/page")
		})
	}
}
