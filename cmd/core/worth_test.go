package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/journal"
)

// TestLeastValue checks that a crawl of known pages makes no further visit if none has the least
// value, and that run, plan and explain say so. A policy without estimates of worth refuses it.
func TestLeastValue(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 1, sections: 3, pages: 10, days: 1, every: still}))
	settings := []string{"--data", filepath.Join(t.TempDir(), "data"), "--round", "2s", "--budget",
		"4320000/day", "--least-value", "0.3"}
	args := append([]string{"run", "--user-agent", contact, "--allow-private", "--delay", "2ms",
		"--json"}, settings...)
	first := decode[runResult](t,
		recrawl(t, append(append(args, "--rounds", "2"), lab.starts()...)...).ok(t), true)
	for i := 0; first.Waiting+first.Left > 0 && i < 20; i++ { // a busy machine needs more rounds
		more := decode[runResult](t, recrawl(t, append(args, "--rounds", "1")...).ok(t), true)
		more.First += first.First
		first = more
	}
	before := lab.count()
	did := decode[runResult](t, recrawl(t, append(args, "--rounds", "2")...).ok(t), true)
	if first.First < 30 || did.First != 0 || lab.count() > before+2*first.Sources+4 ||
		did.Budget.LeastValue != 0.3 || did.Budget.Unused < 50 {
		t.Errorf("first %+v\nthen %+v; %d requests, then %d", first, did, before, lab.count())
	}
	if text := recrawl(t, append([]string{"plan"}, settings...)...).ok(t).stdout; !strings.Contains(
		text, "worth") || !strings.Contains(text, "unused") {
		t.Errorf("plan says %q", text)
	}
	e := decode[explanation](t,
		recrawl(t, append([]string{"explain", "--json", lab.bases[0] + "/s0/p1.html"},
			settings...)...).ok(t), true)
	if e.Turn != 0 || !strings.Contains(e.WhyNot, "less than the least value of 0.3") {
		t.Errorf("explained as %+v", e)
	}
	for _, command := range [][]string{append([]string{"plan"}, settings...), args} {
		if r := recrawl(t, append(command, "--policy", "nutch")...); r.code != 2 ||
			!strings.Contains(r.stderr, "hint: these tell it: ") ||
			!strings.Contains(r.stderr, "sites") {
			t.Errorf("nutch with a least value: code %d, %q", r.code, r.stderr)
		}
	}
}

// TestDecidesAsTheProcessBefore checks that a copy of a running process's store, as after a kill,
// leads to the visits of that process: with the same reason and probability.
func TestDecidesAsTheProcessBefore(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 1, sections: 4, pages: 20, days: 3000,
		every: func(_, section, page int) int { return 20 * (1 + (section+page)%8) }}))
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	const perRound, round = 30, 2 * time.Second
	settings := []string{"--round", round.String(), "--budget",
		fmt.Sprint(perRound * int(24*time.Hour/round)), "--new", "0"}
	p := start(t, dir, nil,
		append(append([]string{"run", "--data", data, "--user-agent", contact, "--allow-private",
			"--delay", "2ms", "--quiet"}, settings...), lab.starts()...)...)
	defer p.kill()
	lines := func() (all []journal.Entry) {
		files, _ := filepath.Glob(filepath.Join(data, "journal", "*.jsonl"))
		for _, file := range files {
			content, _ := os.ReadFile(file)
			for line := range strings.Lines(string(content)) {
				var e journal.Entry
				if json.Unmarshal([]byte(line), &e) == nil {
					all = append(all, e)
				}
			}
		}
		return all
	}
	compared := 0
	for i := 0; compared < 1 && i < 8; i++ {
		last := 0
		eventually(t, "a round that is over, of several", func() bool {
			all := lines()
			if len(all) < 5*perRound {
				return false
			}
			last = all[len(all)-1].Round
			n := 0
			for _, e := range all {
				if e.Round == last {
					n++
				}
			}
			return n == perRound
		})
		to := filepath.Join(dir, fmt.Sprint("copy", i))
		recrawl(t, "checkpoint", "--data", data, "--to", to).ok(t)
		if all := lines(); all[len(all)-1].Round > last {
			continue // the copy has visits of the next round
		}
		plan := decode[planResult](t,
			recrawl(t, append([]string{"plan", "--data", to, "--json", "--report", "--show", "5"},
				settings...)...).ok(t), true)
		next := last + 1
		eventually(t, "the next round", func() bool {
			all := lines()
			return all[len(all)-1].Round > next
		})
		var made []journal.Entry
		for _, e := range lines() {
			if e.Round == next {
				made = append(made, e)
			}
		}
		if len(made) == 0 || !made[0].Time.Before(plan.RoundEnd) ||
			made[0].Time.Before(plan.RoundEnd.Add(-round)) {
			continue // the copy is of another round
		}
		compared++
		v := plan.Visits[0]
		if v.First {
			t.Errorf("the first visit is to a new page: %+v", v)
		}
		if e := made[0]; e.URL != v.URL || e.Reason != v.Reason ||
			(e.Probability == nil) != (v.Probability == nil) || e.Probability != nil &&
			*e.Probability != *v.Probability {
			t.Errorf("round %d: planned from the copy was %s (%s), made was %s (%s)",
				next, v.URL, v.Reason, e.URL, e.Reason)
		}
	}
	if compared == 0 {
		t.Skip("no copy was made in time")
	}
}
