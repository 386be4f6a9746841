package core_test

import (
	"encoding/json"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// judged is a rate of changes and a freshness as reported; null: not known.
type judged struct {
	PerDay *float64 `json:"changes_per_day"`
	Low    *float64 `json:"changes_per_day_low"`
	High   *float64 `json:"changes_per_day_high"`
	Fresh  *float64 `json:"fresh"`
}

type pageSaid struct {
	judged
	Visits, Changes int
	Due             *time.Time
}

type serverSaid struct {
	judged
	Server                 string
	Alive, Visits, Changes int
	NextDue                time.Time `json:"next_due"`
}

// TestOneTruth checks that rate, freshness and due time of a page and of a server are equal
// everywhere: dashboard and its API, metrics, explain, plan, tune and inspect. A server that never
// changed has no changes, one visited once has no rate, and a stopped store is shown by the
// settings of its run.
func TestOneTruth(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 2, sections: 2, pages: 3, days: 5000,
		every: func(server, _, _ int) int { return 10 - 10*server }}))
	work := t.TempDir()
	dir := filepath.Join(work, "data")
	p := start(t, work, nil, append([]string{"run", "--data", dir, "--user-agent", contact,
		"--allow-private", "--round", "1s", "--budget", "1500000/day", "--delay", "1ms",
		"--listen", "127.0.0.1:0"}, lab.starts()...)...)
	base := dashboardOf(t, dir)
	of := func(what string, into any) {
		t.Helper()
		if err := json.Unmarshal([]byte(get(t, base+"api/v1/"+what)), into); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	var list struct{ Servers []serverSaid }
	eventually(t, "rates", func() bool {
		of("servers?sort=server", &list)
		for _, s := range list.Servers {
			if s.Visits < 2*s.Alive && s.Changes < 2 && (s.PerDay != nil && *s.PerDay > 0) {
				t.Fatalf("too early for a rate: %+v", s)
			}
		}
		return len(list.Servers) == 2 && list.Servers[0].Visits > 8*list.Servers[0].Alive &&
			list.Servers[1].Visits > 2*list.Servers[1].Alive
	})
	p.interrupt()
	p.result()

	// Freshness falls with time: the value of a server lies between those of its pages before and
	// after the survey of a second process.
	serving := func() *program {
		s := start(t, work, nil, "serve", "--data", dir, "--listen", "127.0.0.1:0")
		base = dashboardOf(t, dir)
		return s
	}
	s := serving()
	before := map[string]float64{}
	for _, server := range list.Servers {
		before[server.Server] = pagesOf(t, of, dir, server.Server).fresh
	}
	s.interrupt()
	s.result()
	s = serving()
	var now struct {
		Round struct{ Budget int }
	}
	if of("now", &now); now.Round.Budget < 17 || now.Round.Budget > 18 {
		t.Errorf("the budget of a round is %d, want that of the run: 1500000/86400",
			now.Round.Budget)
	}
	var all struct {
		PerDay *float64 `json:"changes_per_day"`
		At     time.Time
		Fresh  *struct{ Mean float64 }
	}
	eventually(t, "a survey", func() bool { of("freshness", &all); return all.At.Year() > 2000 })
	of("servers?sort=server", &list)
	sum := 0.0
	for _, server := range list.Servers {
		pages := pagesOf(t, of, dir, server.Server)
		sum += pages.rate
		if fresh := *server.Fresh; !alike(&pages.rate, server.PerDay, 1e-6) ||
			fresh > before[server.Server]+0.01 || fresh < pages.fresh-0.01 ||
			!pages.due.Equal(server.NextDue) || pages.copies != server.Alive {
			t.Errorf("%s: %v a day, %v fresh, due %v; its pages together %+v, fresh before %v",
				server.Server, said(server.PerDay), fresh, server.NextDue, pages,
				before[server.Server])
		}
	}
	if !alike(&sum, all.PerDay, 1e-9) || all.Fresh == nil {
		t.Errorf("all pages change %v times a day, the servers together %v; fresh %v",
			said(all.PerDay), sum, all.Fresh)
	}
	if *list.Servers[0].PerDay == 0 || *list.Servers[1].PerDay != 0 ||
		!(*list.Servers[1].Fresh > *list.Servers[0].Fresh) {
		t.Errorf("servers %+v", list.Servers)
	}
	if text := get(t, base+"metrics"); !strings.Contains(text, "recrawl_predicted_changes_per_day "+
		jsonText(t, sum)) {
		t.Errorf("want %v changes a day in %s", sum,
			text[strings.Index(text, "recrawl_pred"):][:200])
	}
	if text := get(t, base+"servers/"+list.Servers[1].Server); !strings.Contains(text,
		"none seen") {
		t.Errorf("the page of a server that never changed: %s", text)
	}

	predicted := decode[Tune](t, recrawl(t, "tune", "--data", dir, "--budget", "1",
		"--futures", "1", "--weeks", "1", "--json").ok(t), false)
	if busy := predicted.Politeness.Busiest; len(busy) != 1 ||
		busy[0].Server != list.Servers[0].Server ||
		!alike(&busy[0].PerDay, list.Servers[0].PerDay, 1e-9) ||
		!alike(predicted.PerDay.Value, all.PerDay, 1e-9) {
		t.Errorf("tune says %+v, %v in all; want %v", busy, said(predicted.PerDay.Value), sum)
	}
	s.interrupt()
	s.result()
}

// together sums up the pages of a server.
type together struct {
	copies      int
	rate, fresh float64
	due         time.Time // the first
}

// pagesOf compares the reports about each page of a server, and returns their sum.
func pagesOf(t *testing.T, of func(string, any), dir, server string) (all together) {
	t.Helper()
	var pages struct {
		Pages []struct {
			URL, State string
			Due        *time.Time
		}
	}
	of("servers/"+server+"/pages?limit=1000", &pages)
	for _, listed := range pages.Pages {
		if listed.State != "alive" {
			continue
		}
		var shown, again pageSaid
		of("page?estimates=false&url="+url.QueryEscape(listed.URL), &shown)
		told := decode[pageSaid](t, recrawl(t, "explain", "--data", dir, "--json",
			listed.URL).ok(t), false)
		of("page?estimates=false&url="+url.QueryEscape(listed.URL), &again)
		if shown.Fresh == nil || (shown.PerDay == nil) != (shown.Changes == 1) ||
			shown.PerDay != nil && (*shown.PerDay > 0) != (shown.Changes > 0) {
			t.Fatalf("%s: %+v", listed.URL, shown)
		}
		if !alike(shown.PerDay, told.PerDay, 0) || !alike(shown.High, told.High, 0) ||
			*told.Fresh > *shown.Fresh+0.01 || *told.Fresh < *again.Fresh-0.01 ||
			!sameTime(shown.Due, told.Due) || !sameTime(listed.Due, told.Due) {
			t.Errorf("%s: the dashboard says %s, explain %s", listed.URL, jsonText(t, shown),
				jsonText(t, told))
		}
		if all.copies++; shown.PerDay != nil {
			all.rate += *shown.PerDay
		}
		all.fresh += *again.Fresh
		if again.Due != nil && (all.due.IsZero() || again.Due.Before(all.due)) {
			all.due = *again.Due
		}
	}
	all.fresh /= float64(all.copies)
	plan := recrawl(t, "plan", "--data", dir, "--json", "--show", "100").ok(t)
	for _, v := range decode[[]plannedVisit](t, plan, true) {
		var shown pageSaid
		of("page?estimates=false&url="+url.QueryEscape(v.URL), &shown)
		if v.Due != nil && !sameTime(v.Due, shown.Due) {
			t.Errorf("%s: plan says it is due at %v, the dashboard %v", v.URL, v.Due, shown.Due)
		}
	}
	return all
}

// alike reports whether two values are equal within a share of them, or both unknown.
func alike(a, b *float64, within float64) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return math.Abs(*a-*b) <= within*max(math.Abs(*a), math.Abs(*b))
}

func sameTime(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

func said(v *float64) any {
	if v == nil {
		return "not known"
	}
	return *v
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
