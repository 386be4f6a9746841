package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// duckDB names the environment variable with the npm directory of DuckDB.
const duckDB = "RECRAWL_TEST_DUCKDB"

// query runs SQL in the directory of the tables.
func (m *measured) query(t *testing.T, sql string) (rows []row) {
	t.Helper()
	script, err := filepath.Abs("../../.ci/tables/duckdb.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script, os.Getenv(duckDB))
	cmd.Dir, cmd.Stdin = m.dir, strings.NewReader(sql)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, sql, errs.String())
		return nil
	}
	if err := json.Unmarshal(out, &rows); err != nil || len(rows) == 0 {
		t.Errorf("%v, no rows of\n%s", err, sql)
	}
	return rows
}

// testQueries runs all queries of the documents, and compares their results with the output and
// charts of the commands.
func (m *measured) testQueries(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil || os.Getenv(duckDB) == "" {
		t.Skipf("queries are left out: they want node, and %s that names a directory in which "+
			"npm install @duckdb/node-api was called", duckDB)
	}
	files, err := filepath.Glob("../../docs/reference/sql/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	wanted := m.wanted()
	for _, file := range files {
		sql, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		rows, want := m.query(t, string(sql)), wanted[name]
		if len(rows) != len(want) || len(want) == 0 {
			t.Errorf("%s gives %d rows, want %d", file, len(rows), len(want))
		}
		for _, w := range want {
			if !slices.ContainsFunc(rows, func(r row) bool { return r.has(w) }) {
				t.Errorf("%s does not give %v, but\n%v", file, w, rows)
			}
		}
		delete(wanted, name)
		if drawn := map[string]func(row) []string{"coverage": drawnCoverage,
			"warm": drawnWarm}[name]; drawn != nil {
			var got []string
			for _, r := range rows {
				got = append(got, drawn(r)...)
			}
			slices.Sort(got)
			want := points(t, filepath.Join(m.dir, name+".svg"))
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s gives the points\n%s\nthe figure has\n%s", file,
					strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	for name := range wanted {
		t.Errorf("there is no docs/reference/sql/%s.sql", name)
	}
	for _, sql := range shown(t, "sql") {
		m.query(t, sql)
	}
}

// shown returns the blocks of docs/reference/tables.md in a language.
func shown(t *testing.T, language string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```" + language + "\n(.*?)```")
	for _, m := range block.FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(m[1]))
	}
	if len(blocks) == 0 {
		t.Errorf("docs/reference/tables.md shows nothing in %s", language)
	}
	return blocks
}

// testShown runs the blocks in a language, if its program is there: tried checks that. It must
// print something about each policy.
func (m *measured) testShown(t *testing.T, language, program string, tried ...string) {
	if err := exec.Command(program, tried...).Run(); err != nil {
		t.Skipf("what is shown in %s is left out: %s %v: %v", language, program, tried, err)
	}
	for _, block := range shown(t, language) {
		cmd := exec.Command(program, "-")
		cmd.Dir, cmd.Stdin = m.dir, strings.NewReader(block)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), "clairvoyant") != 2 {
			t.Errorf("%v\n%s\nprinted\n%s", err, block, out)
		}
	}
}

// has reports whether a row has the values of another one, with numbers equal up to rounding.
func (r row) has(want row) bool {
	for column, value := range want {
		switch x := value.(type) {
		case float64:
			if got := r.number(column); math.IsNaN(x) != math.IsNaN(got) ||
				math.Abs(got-x) > 1e-9*max(1, math.Abs(x)) {
				return false
			}
		default:
			if r[column] != value {
				return false
			}
		}
	}
	return true
}

// points returns the points of a figure, as titled in a browser.
func points(t *testing.T, file string) (titles []string) {
	t.Helper()
	svg, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("<title>([^<]*: [^<]*)").FindAllSubmatch(svg, -1) {
		titles = append(titles, string(m[1]))
	}
	slices.Sort(titles)
	return slices.Compact(titles)
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// drawnCoverage and drawnWarm return the points of the figures for rows of their queries.
func drawnCoverage(r row) []string {
	return []string{fmt.Sprintf("%v: %s, %s [%s, %s]", r["policy"],
		eval.PerCent(r.number("budget")), percent(r.number("coverage")),
		percent(r.number("coverage_low")), percent(r.number("coverage_high")))}
}

func drawnWarm(r row) (points []string) {
	for name, column := range map[string]string{"cold": "cold",
		"addresses alone": "addresses_alone",
		"a capture every " + words.Plural(int(r.number("every")), "week"): "warm"} {
		points = append(points, fmt.Sprintf("%v, %s: %s, %s", r["policy"], name,
			percent(r.number("budget")), percent(r.number(column))))
	}
	return points
}

// wanted returns the rows of each query, with some of their columns.
func (m *measured) wanted() map[string][]row {
	all := map[string][]row{}
	add := func(query string, r row) { all[query] = append(all[query], r) }
	for _, run := range m.streams {
		for _, r := range run.Results {
			at := row{"policy": r.Policy, "budget": run.Budget, "coverage": float64(r.Coverage)}
			add("coverage", at)
			add("coverage-of-visits", at)
			if r.Calibration != nil {
				add("calibration", row{"policy": r.Policy, "budget": run.Budget,
					"ece": float64(r.Calibration.ECE)})
			}
			for _, w := range r.Weekly {
				add("weeks", row{"policy": r.Policy, "budget": run.Budget, "week": float64(w.Week),
					"coverage": float64(w.Coverage), "update_rate": float64(w.UpdateRate)})
			}
		}
		for measure, best := range run.Comparison.Best {
			add("best-published", row{"measure": measure, "budget": run.Budget,
				"other": best.Policy, "ratio": float64(best.Ratio),
				"ratio_high":     float64(best.RatioSpread[1]),
				"difference_low": float64(best.DifferenceSpread[0])})
		}
	}
	for _, run := range m.sweeps {
		for _, r := range run.Results {
			tenth := 0.0
			for _, at := range r.Curve {
				if at[0] <= 0.1 {
					tenth = max(tenth, at[1])
				}
			}
			add("sweeps", row{"policy": r.Policy, "weeks": float64(run.Weeks),
				"gain": float64(r.Gain), "coverage_of_a_tenth": tenth})
		}
	}
	for _, s := range m.warm.Starts {
		add("warm", row{"policy": s.Policy, "budget": s.Budget, "every": float64(s.Every),
			"warm": float64(s.Value), "cold": float64(s.Other),
			"addresses_alone": float64(s.Alone.Other)})
	}
	for _, p := range m.figures.Periods {
		for _, of := range p.Methods {
			add("methods", row{"policy": of.Policy, "weeks": float64(p.Weeks),
				"update_rate": float64(of.UpdateRate), "coverage": float64(of.Coverage)})
		}
		for _, by := range p.Thresholds {
			for _, of := range by.Points {
				add("servers", row{"policy": by.Policy, "weeks": float64(p.Weeks),
					"threshold": of.Threshold, "coverage": float64(of.Coverage)})
			}
		}
	}
	for _, p := range m.tuned.Curve {
		add("budgets", row{"budget": p.Budget, "knee": p.Budget == m.tuned.Knee.Budget,
			"coverage_value": *p.Coverage.Value, "coverage_low": *p.Coverage.Low,
			"freshness_high": *p.Freshness.High})
	}
	for _, g := range append(m.survey.Groups, m.survey.Total) {
		for _, p := range g.Periods {
			for updates, pages := range p.Updates {
				add("updates", row{"group": g.Group, "weeks": float64(p.Weeks),
					"updates": float64(updates), "share": float64(pages) / float64(p.Pages)})
			}
		}
	}
	for _, of := range m.survey.Intervals {
		for _, at := range of.Points {
			add("intervals", row{"unit": of.Unit, "last_modified": of.LastModified,
				"interval": float64(at.Interval), "share": *at.Share, "weighted": *at.Weighted})
		}
	}
	for _, set := range m.schedule.Sets {
		for _, p := range set.Points {
			add("missed", row{"servers": set.Name, "policy": p.Policy,
				"connections": float64(p.Connections), "missed": float64(p.Missed.Value),
				"mbps": float64(p.Mbps.Value)})
		}
	}
	all["changes"] = []row{{"server": "c.example", "pages": 17., "changes": 8 * 59.},
		{"server": "b.example", "pages": 11., "changes": 5 * 59.},
		{"server": "a.example", "pages": 8., "changes": 4 * 59.}}
	for d := range 40 {
		r := row{"visits": 2., "changed": 1., "expected": 0.5, "found": 0.5}
		if d == 0 {
			r = row{"visits": 2., "changed": 0., "expected": nil, "found": nil}
		}
		add("journal", r)
	}
	all["rounds"] = []row{
		{"million_pages": 1., "processor_s": 7., "until_first_visit_s": 0.7},
		{"million_pages": 4., "processor_s": 5., "until_first_visit_s": 0.5}}
	return all
}
