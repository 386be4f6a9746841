package papers

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/schedule"
)

func read(t *testing.T, log string) *Source {
	t.Helper()
	s, err := ReadLog(strings.NewReader(log), "log.csv", schedule.Second)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLogWithoutEnd checks the warning about a log that was cut inside its last number, and is
// still valid.
func TestLogWithoutEnd(t *testing.T) {
	whole := "a.example,1,3600\nb.example,1,3600\n"
	if r := Examine(read(t, whole), ReportOptions{}); len(r.Warnings) != 0 {
		t.Errorf("a whole log: %q", r.Warnings)
	}
	for cut := len(whole) - 1; whole[cut-1] != ','; cut-- {
		r := Examine(read(t, whole[:cut]), ReportOptions{})
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "cut") {
			t.Errorf("%q: warnings %q", whole[:cut], r.Warnings)
		}
	}
}

// TestLogCutAnywhere checks that a log cut anywhere is refused with file and line, or gets a
// warning about its end.
func TestLogCutAnywhere(t *testing.T) {
	whole := "server,duration,interval\na.example,1.5,3600\n\"b.example\",0.25,60\nb.example,2,60\n"
	for cut := range len(whole) {
		s, err := ReadLog(strings.NewReader(whole[:cut]), "log.csv", schedule.Second)
		var bad *LogError
		switch {
		case err != nil && !errors.As(err, &bad):
			t.Errorf("%q: %v is no LogError", whole[:cut], err)
		case err != nil && (bad.File != "log.csv" || bad.Hint() == ""):
			t.Errorf("%q: %+v", whole[:cut], bad)
		case err == nil && whole[cut-1] != '\n' && len(s.warnings) == 0:
			t.Errorf("%q is taken for whole", whole[:cut])
		}
	}
}

// TestLogDemands checks load, interval and times of a log.
func TestLogDemands(t *testing.T) {
	s := read(t, "a.example,1,10\na.example,3,10\nb.example,0.5,100\n")
	if len(s.Demands) != 2 {
		t.Fatalf("%d servers", len(s.Demands))
	}
	a := s.Demands[0]
	if a.Name != "a.example" || a.Load().Interval() != 10*schedule.Second ||
		a.Times.Mean != 2*schedule.Second ||
		a.Times.Max != 3*schedule.Second || a.Least != schedule.Second {
		t.Errorf("%+v", a)
	}
}

// TestOfHistories checks that a history of n changes in 60 weeks wants each page once in 60 / (n +
// 1/2) weeks.
func TestOfHistories(t *testing.T) {
	page := func(versions int) *history.Page {
		return &history.Page{Versions: make([]history.Version, versions)}
	}
	servers := []*history.Server{{Name: "a.example", Pages: []*history.Page{page(1), page(4)}}}
	s := Demanded("histories", OfHistories(servers, schedule.Second), 2*schedule.Second)
	d := s.Demands[0]
	want := []schedule.Tick{840 * schedule.Day, 120 * schedule.Day}
	if len(d.Pages) != 2 || d.Pages[0].Interval != want[0] || d.Pages[1].Interval != want[1] {
		t.Errorf("intervals %+v, want %v", d.Pages, want)
	}
	if d.Times.Mean != 2*schedule.Second || len(s.warnings) != 1 ||
		!strings.Contains(s.warnings[0], "1 server no download") {
		t.Errorf("times %+v, warnings %q", d.Times, s.warnings)
	}
}

// TestWebs checks that the first web is the source itself, and that others are resamples, the same
// each time.
func TestWebs(t *testing.T) {
	s := read(t, "a.example,1,10\nb.example,1,20\nc.example,1,30\nd.example,1,40\n")
	names := func(seed uint64) (all []string) {
		webs, err := s.Webs(5, seed, schedule.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range webs {
			if len(w.Servers) != 4 {
				t.Fatalf("a web of %d servers", len(w.Servers))
			}
			name := ""
			for _, server := range w.Servers {
				name += server.Name[:1]
			}
			all = append(all, name)
		}
		return all
	}
	first := names(1)
	if first[0] != "abcd" || !slices.Equal(first, names(1)) ||
		slices.Equal(first[1:], names(2)[1:]) {
		t.Errorf("seed 1: %v, again %v; seed 2: %v", first, names(1), names(2))
	}
	none := Demanded("none", []schedule.Demand{{Name: "a.example"}}, schedule.Second)
	if _, err := none.Webs(1, 1, schedule.Second); err == nil ||
		!strings.Contains(err.Error(), "no server") {
		t.Errorf("servers that want nothing: %v", err)
	}
}

// TestTargets checks that a plan for intervals twice as long needs half the visits, and that one
// for freshness finds the factor x with (1 - exp(-x)) / x as the share of fresh copies.
func TestTargets(t *testing.T) {
	s := read(t, "a.example,1,100\nb.example,1,200\nc.example,2,400\n")
	size := func(target string) *Plan {
		to, err := ParseTarget(target)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Size(t.Context(), s, PlanOptions{Target: to, PageBytes: 1000, Connections: 4,
			Mbps: 10, Delay: schedule.Second, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	once, twice := size("intervals=1"), size("intervals=2")
	if want := 86_400 * (1./100 + 1./200 + 1./400); math.Abs(float64(once.PerDay.Value)-want) > 1 {
		t.Errorf("%v visits a day, want %v", once.PerDay.Value, want)
	}
	if math.Abs(float64(once.PerDay.Value/twice.PerDay.Value)-2) > 1e-6 ||
		once.PerDay.Low > once.PerDay.Value || once.PerDay.High < once.PerDay.Value {
		t.Errorf("once %+v, twice %+v", once.PerDay, twice.PerDay)
	}
	x := size("freshness=0.8").Factor
	if good := -math.Expm1(-x) / x; math.Abs(good-0.8) > 1e-9 {
		t.Errorf("with intervals times %v copies are good for %v", x, good)
	}
	for _, target := range []string{"", "intervals", "intervals=0", "intervals=NaN", "freshness=1",
		"freshness=-1", "age=2"} {
		if _, err := ParseTarget(target); err == nil {
			t.Errorf("%q is taken for a target", target)
		}
	}
}

// TestLargeSites checks that a site is large if one pass takes too long at its rate; servers at one
// address share it.
func TestLargeSites(t *testing.T) {
	demand := func(name, address string, pages int) schedule.Demand {
		return schedule.Demand{Name: name, Address: address, Least: 10 * schedule.Second,
			Pages: []schedule.Pages{{Interval: schedule.Day, Count: pages}}}
	}
	large := LargeOf([]schedule.Demand{
		demand("alone.example", "192.0.2.1", 8640*3),
		demand("one.example", "192.0.2.2", 8640*2),
		demand("two.example", "192.0.2.2", 8640*2),
	}, 3.5)
	if len(large) != 1 || large[0].Address != "192.0.2.2" || len(large[0].Servers) != 2 ||
		math.Abs(large[0].Days-4) > 1e-3 ||
		math.Abs(large[0].Delay-8.75) > 1e-3 {
		t.Errorf("%+v", large)
	}
}

// TestSearchTells checks that a search for least pools reports its progress up to the end, and ends
// with the context.
func TestSearchTells(t *testing.T) {
	s := read(
		t, "a.example,3,10\nb.example,4,10\nc.example,5,10\nd.example,6,10\ne.example,6,10\nf.example,7,11\n")
	last, most, calls := 0, 0, 0
	o := PlanOptions{Target: Target{"intervals", 1}, PageBytes: 1000, Connections: 4, Mbps: 10,
		Delay: schedule.Second / 10, Hours: 1, Seed: 1,
		Told: func(done, total int) {
			if calls++; done != calls || total < done {
				t.Errorf("call %d: %d of %d", calls, done, total)
			}
			last, most = done, total
		}}
	p, err := Size(t.Context(), s, o)
	if err != nil || p.Simulated.Value < 2 || last != most || calls < 9 {
		t.Errorf("%+v, %d of %d, error %v", p, last, most, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Told = func(int, int) { cancel() }
	if _, err := Size(ctx, s, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
