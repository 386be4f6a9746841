//go:build unix

package value

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// processor is how long this process worked.
func processor(b *testing.B) time.Duration {
	var of syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &of); err != nil {
		b.Fatal(err)
	}
	return time.Duration(of.Utime.Nano() + of.Stime.Nano())
}

// BenchmarkRoundBegins measures what rounds of an hour cost before their first visit, in time of a
// processor, with as many visits each whatever the number of pages: as they are, and where each
// looks at all pages. RECRAWL_SCALE_PAGES is the largest number; 4 million take 2 GB.
func BenchmarkRoundBegins(b *testing.B) {
	most, err := strconv.Atoi(os.Getenv("RECRAWL_SCALE_PAGES"))
	if err != nil {
		most = 50_000
	}
	const visits, warm, hours = 500, 48, 24
	for _, pages := range []int{most / 16, most / 4, most} {
		for _, all := range []bool{false, true} {
			b.Run(fmt.Sprintf("pages=%d/all=%v", pages, all), func(b *testing.B) {
				for b.Loop() {
					w, err := newScaleWorld(pages, 50, 1, 24*visits)
					if err != nil {
						b.Fatal(err)
					}
					v := w.policy.(*Policy)
					if all {
						v.LookAtAll()
					}
					var begins, rounds time.Duration
					due := 0
					for hour := range warm + hours {
						start := simtest.At(0).Add(time.Duration(hour) * time.Hour)
						end, before := start.Add(time.Hour), processor(b)
						w.planner.Begin(planner.Round{Number: hour, Start: start, End: end,
							Budget: visits})
						began := processor(b)
						for visit, ok := w.planner.Next(); ok; visit, ok = w.planner.Next() {
							h := w.corpus.Memory(visit.Page).History
							changed := rank.Mix(uint64(visit.Page)<<16^uint64(hour))%8 == 0
							h.See(end, changed, time.Time{})
							verdict := sitegraph.VerdictUnchanged
							if changed {
								verdict = sitegraph.VerdictChanged
							}
							w.planner.Observe(&sitegraph.Record{Page: visit.Page,
								State: sitegraph.StateAlive, Tried: end, History: h}, verdict)
						}
						if hour >= warm {
							begins, rounds, due = begins+began-before, rounds+processor(b)-before,
								due+len(v.queue.due)
						}
					}
					b.ReportMetric(begins.Seconds()*1000/hours, "ms/begin")
					b.ReportMetric(rounds.Seconds()*1000/hours, "ms/round")
					b.ReportMetric(float64(due)/hours, "scored/begin")
				}
			})
		}
	}
}
