package core_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/journal"
)

// What tune --json prints, as its users read it.

type tuneRange struct{ Value, Low, High *float64 }

type tunePoint struct {
	Budget     float64
	PerDay     float64 `json:"per_day"`
	Coverage   tuneRange
	UpdateRate tuneRange `json:"update_rate"`
	Freshness  tuneRange
	Search     tuneRange `json:"search_freshness"`
}

type tuneChecked struct {
	Predicted tuneRange
	Measured  *float64
	Error     *float64
	Inside    bool
}

type Tune struct {
	Source                               string
	Servers, Pages, Base, Weeks, History int
	Policy, Change                       string
	New                                  float64
	Futures                              int
	Seed                                 uint64
	PerDay                               tuneRange `json:"changes_per_day"`
	Daily                                tuneRange `json:"found_by_daily_visits"`
	Curve                                []tunePoint
	Knee                                 *tunePoint
	InForce                              *tunePoint `json:"in_force"`
	Target                               *struct {
		Target string
		Budget tuneRange
		PerDay *float64 `json:"per_day"`
	}
	Politeness struct {
		Budget float64
		Delays []struct {
			Seconds  float64  `json:"delay_seconds"`
			Visits   *float64 `json:"visits_per_day"`
			Crowded  int      `json:"crowded_servers"`
			Short    int      `json:"short_servers"`
			Beyond   float64  `json:"beyond_reach"`
			Late     float64
			Coverage tuneRange
		}
		FeasibleSeconds *float64 `json:"feasible_seconds"`
		FeasibleServer  string   `json:"feasible_server"`
		PromptSeconds   *float64 `json:"prompt_seconds"`
		PromptServer    string   `json:"prompt_server"`
		Busiest         []struct {
			Server  string
			Pages   int
			PerDay  float64  `json:"changes_per_day"`
			Seconds *float64 `json:"feasible_seconds"`
		}
	}
	Check *struct {
		PerDay tuneChecked `json:"changes_per_day"`
		Points []struct {
			Budget     float64
			Coverage   tuneChecked
			UpdateRate tuneChecked `json:"update_rate"`
			Freshness  tuneChecked
			Search     tuneChecked `json:"search_freshness"`
		} `json:"budgets"`
	}
	Warnings []string
}

// TestTune predicts two servers that repeat the same week, so that the future equals the past: each
// week the hub and every other page of its list change.
func TestTune(t *testing.T) {
	t.Parallel() // others wait meanwhile
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.jsonl.gz"), historyFile(t, "a.example", 64))
	writeFile(t, filepath.Join(dir, "b.jsonl.gz"), historyFile(t, "b.example", 96))
	html := filepath.Join(dir, "tune.html")
	r := recrawl(t, "tune", dir, "--json", "--check", "--weeks", "30", "--budget", "0.5,0.05,0.2",
		"--target", "coverage=0.5", "--futures", "2", "--html", html).ok(t)
	selfContained(t, html)
	got := decode[Tune](t, r, true)
	if got.Source != "histories" || got.Servers != 2 || got.Pages != 164 || got.Base != 12 ||
		got.Weeks != 30 || got.Policy != "sites" || got.Futures != 2 {
		t.Errorf("predicted is %+v", got)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "2 servers") {
		t.Errorf("two servers are few, and the warnings are %q", got.Warnings)
	}
	// The first of the twelve known weeks has no events, and changes at the base itself do not
	// count: a tenth fewer changes are predicted.
	if c := got.Check; c == nil || math.Abs(*c.PerDay.Error+0.1) > 0.04 {
		t.Fatalf("the changes of a day are checked as %.3f for %.3f",
			*c.PerDay.Predicted.Value, *c.PerDay.Measured)
	}
	for i, p := range got.Check.Points {
		for name, c := range map[string]tuneChecked{"coverage": p.Coverage,
			"update rate": p.UpdateRate, "freshness": p.Freshness, "search": p.Search} {
			// a tenth fewer changes are predicted, see above; the rest is chance
			if math.Abs(*c.Error) > 0.15 {
				t.Errorf("budget %g: %s is checked as %.3f for %.3f",
					p.Budget, name, *c.Predicted.Value, *c.Measured)
			}
		}
		if i > 0 && p.Budget <= got.Check.Points[i-1].Budget {
			t.Errorf("budgets are not rising: %g", p.Budget)
		}
	}
	if got.Target == nil || got.Target.Budget.Value == nil || *got.Target.Budget.Value <= 0.01 ||
		*got.Target.Budget.Value >= 0.2 || got.Politeness.Budget != *got.Target.Budget.Value {
		t.Errorf("target is %+v, politeness of budget %g", got.Target, got.Politeness.Budget)
	}
	if got.Knee == nil || got.Knee.Budget >= 0.5 {
		t.Errorf("knee is %+v", got.Knee)
	}
	// The busiest server has 1 + 48 changes a week, or fewer by its last version: a visit every ten
	// seconds can find all of them.
	polite := got.Politeness
	if polite.FeasibleSeconds == nil || *polite.FeasibleSeconds < 86400*7/49 ||
		len(polite.Busiest) != 2 {
		t.Errorf("politeness is %+v", polite)
	}
	for i, d := range polite.Delays[:3] {
		if want := []float64{5, 10, 20}[i]; d.Seconds != want || *d.Visits != 86400/want ||
			d.Beyond != 0 || d.Crowded != 0 {
			t.Errorf("delay %d is %+v", i, d)
		}
	}
	text := recrawl(t, "tune", dir, "--weeks", "10", "--futures", "1", "--delay", "12h", "--budget",
		"0.5", "--wide").ok(t)
	for _, want := range []string{"changes a day, policy sites, 10 weeks", "crowded servers",
		"a.example", "has no knee"} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("%q is not in\n%s", want, text.stdout)
		}
	}
}

// TestTuneJournal predicts from visits: daily ones to two pages, one of which changes each day.
func TestTuneJournal(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC)
	for d := range 40 {
		for url, verdict := range map[string]string{"http://a.example/": "changed",
			"http://a.example/still": "unchanged", "http://a.example/left": "left"} {
			if d == 0 {
				verdict = "first"
			}
			if err := j.Append(journal.Entry{URL: url, Time: start.AddDate(0, 0, d),
				Verdict: verdict}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	got := decode[Tune](t, recrawl(t, "tune", "--journal", dir, "--json", "--budget", "0.5,1",
		"--futures", "2").ok(t), true)
	if got.Source != "journal" || got.Pages != 2 || got.History != got.Base ||
		*got.PerDay.Value < 0.3 {
		t.Errorf("predicted is %+v", got)
	}
	// One fetch a day finds nearly all changes of one page; two find all changes at the ends of
	// days.
	if c := *got.Curve[0].Coverage.Value; c < 0.9 {
		t.Errorf("coverage %.3f with a fetch a day for one changing page", c)
	}
	if c := *got.Curve[1].Coverage.Value; c < 0.999 {
		t.Errorf("coverage %.3f with a fetch a day for each page", c)
	}
}
