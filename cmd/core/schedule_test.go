package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What schedule --json prints, as its users read it.

type scheduleReport struct {
	Source         string
	Servers, Pages int
	Feasibility    struct {
		Connections   int
		Need          float64
		Bound         int
		NeedFeasible  float64 `json:"need_feasible"`
		BoundFeasible int     `json:"bound_feasible"`
		Classes       map[string]struct {
			Servers      int
			Wanted, Lost float64 `json:"-"`
		}
	}
	Policy      string
	Sufficient  struct{ Connections int }
	Infeasible  []infeasibleResult
	Corrections []struct {
		Name      string
		Kept      bool
		LostValue float64 `json:"lost_value"`
		Bound     int
	}
	Large    []largeResult
	Warnings []string
}

type simulation struct {
	Source string
	Sets   []struct {
		Number, Bound int
		Points        []struct {
			Policy      string
			Connections int
			Missed      struct{ Value, Low, High float64 }
		}
	}
	Claims []struct{ What string }
}

const downloads = `server,duration,interval
fine.example,0.5,60
fine.example,1.5,60
slow.example,3,2
uneven.example,1,30
uneven.example,1,30
uneven.example,40,30
pressed.example,1,5
`

// TestScheduleReport has a log made by hand: each server in its class, with the cure that helps,
// and corrections that fit.
func TestScheduleReport(t *testing.T) {
	dir := t.TempDir()
	log := writeFile(t, filepath.Join(dir, "log.csv"), downloads)
	args := []string{"schedule", "report", "--log", log, "--delay", "10s", "--json", "--html",
		filepath.Join(dir, "report.html")}
	run := recrawl(t, args...).ok(t)
	r := decode[scheduleReport](t, run, false)
	classes := map[string]string{"slow.example": "politeness-bound",
		"uneven.example": "temporarily infeasible", "pressed.example": "politeness-bound"}
	if len(r.Infeasible) != len(classes) {
		t.Errorf("infeasible: %+v", r.Infeasible)
	}
	for _, s := range r.Infeasible {
		if classes[s.Server] != s.Class || len(s.Cures) == 0 {
			t.Errorf("%s is %s, want %s; cures %v", s.Server, s.Class, classes[s.Server], s.Cures)
		}
	}
	if r.Feasibility.Bound != 1 || r.Policy != "edf" || r.Sufficient.Connections != 1 ||
		len(r.Corrections) != 5 {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Corrections {
		if !c.Kept {
			t.Errorf("%+v does not fit", c)
		}
	}
	if again := recrawl(t, args...).ok(t); again.stdout != run.stdout {
		t.Error("not the same the second time")
	}
	selfContained(t, filepath.Join(dir, "report.html"))
	text := recrawl(t, "schedule", "report", "--log", log, "--delay", "1s").ok(t).stdout
	for _, words := range []string{"steadily infeasible", "slow.example", "stretch-each",
		"longer intervals"} {
		if !strings.Contains(text, words) {
			t.Errorf("%q is not in the report:\n%s", words, text)
		}
	}
}

func TestScheduleSimulate(t *testing.T) {
	dir := t.TempDir()
	log := writeFile(t, filepath.Join(dir, "log.csv"), downloads)
	s := decode[simulation](t, recrawl(t, "schedule", "simulate", "--log", log, "--days", "1",
		"--policy", "edf,sjf", "--connections", "1,3", "--servers", "all", "--webs", "2",
		"--json").ok(t), false)
	if len(s.Sets) != 1 || s.Sets[0].Number != 4 || len(s.Sets[0].Points) != 4 ||
		s.Sets[0].Points[0].Missed.Value == 0 {
		t.Errorf("%+v", s)
	}
	figures := filepath.Join(dir, "figures")
	s = decode[simulation](t, recrawl(t, "schedule", "simulate", "--generate", "1000", "--sweep",
		"--days", "0.02", "--connections", "1,2,40", "--svg", figures, "--html",
		filepath.Join(dir, "s.html"), "--json").ok(t), false)
	if len(s.Sets) != 2 || len(s.Sets[1].Points) != 15 || s.Claims != nil {
		t.Errorf("%+v", s)
	}
	selfContained(t, filepath.Join(dir, "s.html"))
	for _, name := range []string{"figure-6.svg", "figure-7.svg", "figure-8.svg"} {
		if content, err := os.ReadFile(filepath.Join(figures, name)); err != nil ||
			!strings.HasPrefix(string(content), "<svg") {
			t.Errorf("%s: %v, %.20q", name, err, content)
		}
	}
}

func TestSchedulePlan(t *testing.T) {
	log := writeFile(t, filepath.Join(t.TempDir(), "log.csv"), downloads)
	type plan struct {
		Factor     float64
		Infeasible int
		Proved     int
		Nodes      struct{ Value float64 }
		Simulated  *struct{ Value float64 }
	}
	p := decode[plan](t, recrawl(t, "schedule", "plan", "--log", log, "--delay", "1s", "--target",
		"intervals=2", "--json").ok(t), false)
	if p.Factor != 2 || p.Infeasible != 0 || p.Proved < 1 || p.Nodes.Value != 1 ||
		p.Simulated == nil || p.Simulated.Value < 1 {
		t.Errorf("%+v", p)
	}
	// Visits at the time between changes keep copies fresh for 1 - 1/e of the time.
	if p = decode[plan](t, recrawl(t, "schedule", "plan", "--log", log, "--target",
		"freshness=0.6321205588", "--hours", "0", "--json").ok(t), false); p.Factor < 0.9999 ||
		p.Factor > 1.0001 || p.Simulated != nil {
		t.Errorf("%+v", p)
	}
}

// TestScheduleBadInput checks that bad logs are refused with file, line and the right form.
func TestScheduleBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, c := range []struct {
		log   string
		words []string
	}{
		{"a.example,-1,5\n", []string{"line 1", "duration -1", "0 to 86400"}},
		{"a.example,1,5\nb.example,1,0\n", []string{"line 2", "interval 0"}},
		{"a.example,NaN,5\n", []string{"duration NaN"}},
		{"a.example,soon,5\n", []string{`"soon" is no number`}},
		{"a.example,1,5\na.example,1\n", []string{"line 2", "2 of 3 fields"}},
		{"a.example,1,5\nb.exam", []string{"line 2", "ends in the middle", "copy it again"}},
		{"a.example,1,5\na.example,1,6\n", []string{"line 2", "6 s here and 5 s in line 1"}},
		{",1,5\n", []string{"no server"}},
		{"server,duration,interval\n", []string{"no download"}},
		{"\"a,1,5\n", []string{"line 1", "quote"}},
	} {
		log := writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.csv", i)), c.log)
		r := recrawl(t, "schedule", "report", "--log", log)
		if r.code != 1 || r.stdout != "" {
			t.Errorf("%q: exit code %d, printed %q", c.log, r.code, r.stdout)
		}
		for _, word := range append(c.words, log, "hint") {
			if !strings.Contains(r.stderr, word) {
				t.Errorf("%q: %q is not in %q", c.log, word, r.stderr)
			}
		}
	}
	var many strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&many, "a.example,0.%d,3600\n", i%9+1)
	}
	log := writeFile(t, filepath.Join(dir, "many.csv"), many.String())
	if r := decode[scheduleReport](t, recrawl(t, "schedule", "report", "--log", log,
		"--json").ok(t), false); r.Servers != 1 || r.Feasibility.Classes["feasible"].Servers != 1 {
		t.Errorf("300,000 downloads of one server: %+v", r)
	}
	for _, args := range [][]string{{"report"}, {"plan", "--log", log, "--generate", "1000"},
		{"simulate", "--generate", "10"}, {"simulate", "--policy", "lifo"},
		{"plan", "--log", log, "--target", "freshness=2"}, {"nothing"}} {
		if r := recrawl(t, append([]string{"schedule"}, args...)...); r.code != 2 ||
			!strings.Contains(r.stderr, "hint") {
			t.Errorf("schedule %v: exit code %d, %s", args, r.code, r.stderr)
		}
	}
}
