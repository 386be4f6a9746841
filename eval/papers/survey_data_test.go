package papers

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/eval/timetravel"
)

// TestSynthetic compares with the survey that synthetic webs make of themselves, from their own
// data and without histories. It counts the menu of a frameset as a top page and its body not; here
// both are tops. So the rows of tops are compared on webs without frames.
func TestSynthetic(t *testing.T) {
	t.Parallel()
	framed, frameless := 0, 0
	for seed := uint64(1); seed <= 8; seed++ {
		web := synth.New(synth.Options{Seed: seed, Servers: 6, Pages: 250})
		servers, err := timetravel.Histories(t.Context(), web, timetravel.HistoryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := surveyOf(t, datasetOf(t, 12, 0, servers...), SurveyOptions{Weeks: synth.Periods[:]})
		c := synth.Compare(web, web.Start().Add(12*week))
		near := func(what string, weeks int, got eval.Number, percent float64) {
			t.Helper()
			if math.Abs(100*float64(got)-percent) > 1e-9 {
				t.Errorf("seed %d: %s at %d weeks: %.3f %%, want %.3f",
					seed, what, weeks, 100*float64(got), percent)
			}
		}
		if s.Total.Servers != c.Servers[synth.DomainUnknown] ||
			s.Total.Pages != c.Pages[synth.DomainUnknown] {
			t.Errorf("seed %d: %d servers, %d pages, want %d, %d",
				seed, s.Total.Servers, s.Total.Pages, c.Servers[synth.DomainUnknown],
				c.Pages[synth.DomainUnknown])
		}
		if s.Total.Tops > s.Total.Servers {
			framed++
		} else {
			frameless++
		}
		for i, n := range synth.Periods {
			p := &s.Total.Periods[i]
			near("updated", n, p.UpdatedShare, c.Updated[synth.DomainUnknown][i])
			if s.Total.Tops > s.Total.Servers {
				continue
			}
			near("of updated", n, p.ByTop.OfUpdated, c.Tops[synth.CoverageOfUpdatedTops][i])
			near("of pages", n, p.ByTop.OfPages, c.Tops[synth.RateOfUpdatedTops][i])
			near("of servers", n, p.ByTop.OfServers, c.Tops[synth.UpdatedTops][i])
		}
	}
	if framed == 0 || frameless == 0 {
		t.Errorf("%d webs with frames, %d without: one kind is not tested", framed, frameless)
	}
}

// TestRecorded checks the survey of the recorded servers. Pages, vanished and differ are those of
// an independent evaluator.
func TestRecorded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads 45 servers")
	}
	// too large to be part of the module
	dir := filepath.Join("..", "..", "..", "shared", "data", "histories")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the recorded histories are not there: %v", err)
	}
	servers, err := history.ReadFiles(t.Context(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := datasetOf(t, 12, 0, servers...)
	start := time.Now()
	s := surveyOf(t, c, SurveyOptions{Weeks: []int{2, 4, 12, 24}})
	t.Logf("surveyed in %v", time.Since(start))
	if s.Total.Servers != 45 || s.Total.Pages != 42_657 || len(s.Warnings) != 0 {
		t.Errorf("%d servers, %d pages, warnings %q", s.Total.Servers, s.Total.Pages, s.Warnings)
	}
	for i, want := range [][4]int{{37_979, 4_678, 2_973, 2_973}, {37_977, 4_680, 5_852, 5_869},
		{37_864, 4_793, 12_931, 12_946}, {37_458, 5_199, 19_000, 19_071}} {
		p := s.Total.Periods[i]
		if got := [4]int{p.Pages, p.Vanished, p.Differ, p.Updated}; got != want {
			t.Errorf("%d weeks: pages, vanished, differ, updated %v, want %v", p.Weeks, got, want)
		}
	}
}
