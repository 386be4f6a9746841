package tidy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// sample returns visits like those of a stream of 40,966 pages, 2 % of them a day for 40 weeks. All
// probabilities and values differ, which compresses worst.
func sample() (*sitegraph.Graph, []crawl.Event) {
	const pages, day = 40966, 819
	rng := rand.New(rand.NewPCG(1, 2))
	urls := make([]string, pages)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://www.server-%d.example.org/section-%d/%x/page-%d.html", i/900,
			i/40, rng.Uint32(), i)
	}
	graph, events := sitegraph.NewGraph(), make([]crawl.Event, 280*day)
	for i := range events {
		e, p := &events[i], rng.Float64()
		e.Round.Number = 1 + i/day
		e.Visit = planner.Visit{Page: graph.Add(urls[int(pages*rng.Float64()*rng.Float64())]),
			First: p < 0.05, Probability: p, Value: rng.Float64()}
		e.Observation.Time = history.WorldEpoch.AddDate(0, 0, 1+i/day)
		e.Observation.Outcome, e.Verdict = sitegraph.OutcomeFetched, sitegraph.VerdictUnchanged
		if p > 0.7 {
			e.Verdict = sitegraph.VerdictChanged
		}
	}
	return graph, events
}

// writeVisits writes the same visits for a number of policies, and returns the bytes of a row.
func writeVisits(t testing.TB, g *sitegraph.Graph, events []crawl.Event, policies int,
	ending string) float64 {
	t.Helper()
	dir := t.TempDir()
	to := map[string]string{ending: dir}
	s, err := CreateTables(to["parquet"], to["csv"], Visits)
	if err != nil {
		t.Fatal(err)
	}
	visits, err := Visits.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	for k := range policies {
		seen, end := Watch(visits)(eval.Progress{Policy: fmt.Sprint("policy-", k), Budget: 0.02,
			Weeks: 40}, g)
		for i := range events {
			seen(&events[i])
		}
		end()
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "visits."+ending))
	if err != nil {
		t.Fatal(err)
	}
	return float64(info.Size()) / float64(policies*len(events))
}

// TestVisitBytes checks that a visit takes at most 12 bytes.
func TestVisitBytes(t *testing.T) {
	graph, events := sample()
	if size := writeVisits(t, graph, events, 2, "parquet"); size > 12 {
		t.Errorf("a visit takes %.2f bytes", size)
	}
}

// BenchmarkVisits writes the sample for four policies. It counts rows a second of processor time on
// all cores, so that other work on the machine does not count.
func BenchmarkVisits(b *testing.B) {
	graph, events := sample()
	for _, ending := range []string{"parquet", "csv"} {
		b.Run("as="+ending, func(b *testing.B) {
			size, written := 0.0, 0
			began := processorSeconds(b)
			for b.Loop() {
				size = writeVisits(b, graph, events, 4, ending)
				written += 4 * len(events)
			}
			b.ReportMetric(size, "B/row")
			b.ReportMetric(float64(written)/(processorSeconds(b)-began), "rows/cpu-s")
		})
	}
}

// processorSeconds returns the processor time of this process so far.
func processorSeconds(b *testing.B) float64 {
	var of syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &of); err != nil {
		b.Fatal(err)
	}
	return float64(of.Utime.Nano()+of.Stime.Nano()) / 1e9
}
