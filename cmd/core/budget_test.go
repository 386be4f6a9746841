package core_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLimits crawls three servers under several kinds of budgets, in two processes: all requests
// and answers are within them, and what did not fit is reported.
func TestLimits(t *testing.T) {
	lab := serve(t, library(shelves{servers: 3, sections: 3, pages: 12, days: 1, every: still}))
	host := strings.TrimPrefix(lab.bases[1], "http://")
	settings := []string{"--data", filepath.Join(t.TempDir(), "data"), "--round", "24h", "--budget",
		"70/day", "--budget", "60kB/day",
		"--server-budget", "30/day", "--server-budget", host + "=7/day", "--weight",
		lab.bases[0] + "/s2/=0"}
	args := append([]string{"run", "--user-agent", contact, "--allow-private", "--delay", "1ms",
		"--workers", "3", "--rounds", "1", "--json"}, settings...)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	first := decode[runResult](t, recrawl(t, append(args, lab.starts()...)...).ok(t), true)
	again := decode[runResult](t, recrawl(t, args...).ok(t), true)
	if !time.Now().UTC().Truncate(24 * time.Hour).Equal(today) {
		t.Skip("a new day began, with new budgets")
	}
	of := map[string]int{}
	for _, r := range lab.seen() {
		for _, base := range lab.bases {
			if strings.HasPrefix(r.url, base+"/") {
				of[base]++
			}
		}
		if strings.HasPrefix(r.url, lab.bases[0]+"/s2/") {
			t.Errorf("%s has weight 0 and was asked for", r.url)
		}
	}
	if n := lab.count(); n > 70 || of[lab.bases[1]] > 7 || of[lab.bases[0]] > 30 ||
		of[lab.bases[2]] > 30 || n < 20 {
		t.Errorf("%d requests, by server %v", n, of)
	}
	b := first.Budget
	if b.Granted == nil || *b.Granted != 70 || b.Fetches != first.Visits || len(b.Limits) != 1 ||
		b.Limits[0].Limit != "60kB/day" || b.Limits[0].Used > 60000 || b.Limits[0].Used < 5000 {
		t.Errorf("budget %+v", b)
	}
	unfit := map[string]int{}
	for _, u := range b.Unfit {
		unfit[u.Server] = u.Pages
	}
	if unfit[host] == 0 {
		t.Errorf("nothing is said of %s: %+v", host, b.Unfit)
	}
	if used := again.Budget.Limits[0].Used; used < b.Limits[0].Used || used > 60000 {
		t.Errorf("%d bytes used, then %d", b.Limits[0].Used, used)
	}

	plan := decode[planResult](t,
		recrawl(t, append([]string{"plan", "--json", "--report", "--show", "3"},
			settings...)...).ok(t), true)
	if len(plan.Visits) > 3 || plan.Budget.Fetches < len(plan.Visits)+plan.Further {
		t.Errorf("plan %+v", plan)
	}
	e := decode[explanation](t,
		recrawl(t, append([]string{"explain", "--json", lab.bases[0] + "/s2/"},
			settings...)...).ok(t), true)
	if e.Turn != 0 || e.WhyNot != "its weight is 0" || e.Weight != 0 {
		t.Errorf("explained as %+v", e)
	}
	for _, form := range []string{"//s2/", "/s2/?PHPSESSID=12ab34cd", "//s2//?utm_source=x"} {
		if r := recrawl(t, append([]string{"explain", lab.bases[0] + form}, settings...)...).exit(t,
			2); !strings.Contains(r.stderr, "it is known as "+lab.bases[0]+"/s2/\n") {
			t.Errorf("explain of %s: %s", form, r.stderr)
		}
	}
	text := recrawl(t, append([]string{"plan"}, settings...)...).ok(t)
	for _, word := range []string{"Budgets of this round", "60kB/day", "70/day"} {
		if !strings.Contains(text.stdout, word) {
			t.Errorf("plan does not say %q:\n%s", word, text.stdout)
		}
	}
}

// TestBudgetIsShare crawls with a share of the known pages a day as budget, which is at least 100
// fetches and grows with the known pages. plan and explain use the same number.
func TestBudgetIsShare(t *testing.T) {
	lab := serve(t, library(shelves{servers: 3, sections: 4, pages: 20, days: 1, every: still}))
	data := []string{"--data", filepath.Join(t.TempDir(), "data"), "--round", "24h"}
	run := append([]string{"run", "--user-agent", contact, "--allow-private", "--delay", "1ms",
		"--rounds", "1", "--json", "--budget", "2%"}, data...)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	first := decode[runResult](t, recrawl(t, append(run, lab.starts()...)...).ok(t), true)
	if g := first.Budget.Granted; g == nil || *g != 100 {
		t.Errorf("granted %v at first, want 100", g)
	}
	known := len(decode[[]struct{ URL string }](t,
		recrawl(t, append([]string{"plan", "--json", "--show", "100000", "--unlimited"},
			data...)...).ok(t), false))
	if known < 150 {
		t.Fatalf("only %d pages are known", known)
	}
	if !time.Now().UTC().Truncate(24 * time.Hour).Equal(today) {
		t.Skip("a new day began, with a new budget")
	}
	text := recrawl(t, append([]string{"plan", "--budget", "200%"}, data...)...).ok(t).stdout
	m := regexp.MustCompile(`(\d+)/day`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("plan says no budget of a day:\n%s", text)
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n < 2*known || n%2 != 0 {
		t.Errorf("200 %% of %d known pages or more are %s a day", known, m[1])
	}
	recrawl(t, append([]string{"explain", "--budget", "2%", lab.starts()[0]}, data...)...).ok(t)
	recrawl(t, append([]string{"node", "--user-agent", contact, "--budget", "2%"},
		data...)...).refused(t, 2, "a node does not know the pages of all shards")
}
