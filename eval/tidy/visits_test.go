package tidy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/recrawl/recrawl/eval/replay"
	"github.com/recrawl/recrawl/eval/table"
)

// sample is visits as they leave a stream of 40,966 pages, 2 % of them a day for 40 weeks. Each
// probability and value is another one, which compresses worst.
func sample() []Visit {
	const pages, day = 40966, 819
	rng := rand.New(rand.NewPCG(1, 2))
	urls, servers := make([]string, pages), make([]string, pages)
	for i := range urls {
		servers[i] = fmt.Sprintf("www.server-%d.example.org", i/900)
		urls[i] = fmt.Sprintf("http://%s/section-%d/%x/page-%d.html", servers[i], i/40,
			rng.Uint32(), i)
	}
	rows := make([]Visit, 280*day)
	for i := range rows {
		page, p, v := int(pages*rng.Float64()*rng.Float64()), rng.Float32(), rng.Float32()
		rows[i] = Visit{Budget: 0.02, Weeks: 40, Run: 1, Round: int32(1 + i/day),
			Time: replay.Epoch.AddDate(0, 0, 1+i/day), Server: servers[page], Page: urls[page],
			First: p < 0.05, Probability: &p, Value: &v, Outcome: "fetched", Verdict: "unchanged"}
		if p > 0.7 {
			rows[i].Verdict = "changed"
		}
	}
	return rows
}

// writeVisits writes the visits of so many policies, and returns the size of the file.
func writeVisits(t testing.TB, rows []Visit, policies int, ending string) int64 {
	t.Helper()
	dir := t.TempDir()
	to := map[string]string{ending: dir}
	s, err := table.Create(to["parquet"], to["csv"], Visits)
	if err != nil {
		t.Fatal(err)
	}
	visits, err := Visits.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	batch := visits.Batch()
	for k := range policies {
		policy := fmt.Sprintf("policy-%d", k)
		for _, row := range rows {
			row.Policy = policy
			batch.Add(row)
		}
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "visits."+ending))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// A visit takes 12 bytes at most.
func TestVisitBytes(t *testing.T) {
	rows := sample()
	size := float64(writeVisits(t, rows, 2, "parquet")) / float64(2*len(rows))
	if size > 12 {
		t.Errorf("a visit takes %.2f bytes", size)
	}
}

// BenchmarkVisits writes the sample for four policies. Rows are counted by a second of processor
// time, of all cores: so other work on the machine does not count.
func BenchmarkVisits(b *testing.B) {
	rows := sample()
	for _, ending := range []string{"parquet", "csv"} {
		b.Run("as="+ending, func(b *testing.B) {
			var size, written int
			began := processorSeconds(b)
			for b.Loop() {
				size = int(writeVisits(b, rows, 4, ending))
				written += 4 * len(rows)
			}
			b.ReportMetric(float64(size)/float64(4*len(rows)), "B/row")
			b.ReportMetric(float64(written)/(processorSeconds(b)-began), "rows/cpu-s")
		})
	}
}

// processorSeconds are those that this process took so far.
func processorSeconds(b *testing.B) float64 {
	var of syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &of); err != nil {
		b.Fatal(err)
	}
	return float64(of.Utime.Nano()+of.Stime.Nano()) / 1e9
}
