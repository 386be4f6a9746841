package core_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/eval/scale"
	"github.com/recrawl/recrawl/satstore/journal"
)

// measured has the tables of the commands in docs/reference/sql, in the folder tables of a
// directory, and their output.
type measured struct {
	dir      string
	streams  []eval.StreamRun
	sweeps   []eval.SnapshotRun
	warm     eval.WarmRun
	tuned    Tune
	survey   surveyResult
	schedule papers.Simulation
	figures  papers.Figures
}

// measure runs all commands that write tables, in both formats.
func measure(t *testing.T) *measured {
	t.Helper()
	m := &measured{dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(m.dir, "histories"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		name  string
		pages int
	}{{"a.example", 6}, {"b.example", 9}, {"c.example", 15}} {
		writeFile(t, filepath.Join(m.dir, "histories", s.name+".jsonl.gz"),
			historyFile(t, s.name, s.pages))
	}
	writeJournal(t, filepath.Join(m.dir, "crawl", "journal"))
	rounds(t, m.dir)
	call := func(args ...string) result {
		t.Helper()
		return recrawlIn(t, m.dir, nil, append(args, "--parquet", "tables", "--csv", "tables",
			"--json", "--quiet")...).ok(t)
	}
	stream := []string{"eval", "histories", "--protocol", "stream", "--weeks", "6"}
	m.streams = decode[[]eval.StreamRun](t, call(append(stream, "--budget", "0.05,0.1", "--policy",
		"sites,ebayes,interval,clairvoyant", "--runs", "2", "--svg", "coverage.svg")...), true)
	m.warm = decode[eval.WarmRun](t, call(append(stream, "--budget", "0.05,0.1", "--policy",
		"ebayes", "--warm", "12", "--warm-every", "2,1", "--svg", "warm.svg")...), true)
	// Each protocol has a table comparisons.
	snapshot := []string{"eval", "histories", "--weeks", "2,4", "--policy", "sites,ebayes,a"}
	recrawlIn(t, m.dir, nil, append(snapshot, "--csv", "tables")...).refused(t, 2,
		"comparisons.csv", "already exists", "another directory")
	recrawlIn(t, m.dir, nil, append(snapshot, "--parquet", "others", "--quiet")...).ok(t)
	for _, name := range []string{"sweeps", "curve"} {
		if err := os.Rename(filepath.Join(m.dir, "others", name+".parquet"),
			filepath.Join(m.dir, "tables", name+".parquet")); err != nil {
			t.Fatal(err)
		}
	}
	m.sweeps = decode[[]eval.SnapshotRun](t,
		recrawlIn(t, m.dir, nil, append(snapshot, "--json")...).ok(t), true)
	m.figures = decode[papers.Figures](t,
		call("eval", "histories", "--figures", "--weeks", "2,4"), false)
	m.tuned = decode[Tune](t, call("tune", "histories", "--base", "12", "--weeks", "4", "--policy",
		"ebayes", "--budget", "0.05,0.1,0.5", "--futures", "2"), true)
	m.survey = decode[surveyResult](t, call("survey", "histories", "--weeks", "2,4"), true)
	m.schedule = decode[papers.Simulation](t, call("schedule", "simulate", "--generate", "1000",
		"--sweep", "--days", "0.02", "--connections", "1,2,40", "--webs", "2"), false)
	for _, c := range []struct {
		args []string
		want map[string]int
	}{
		{[]string{"export", "--data", "crawl"}, map[string]int{"journal": 80}},
		// a page a history, its list, and its links; every other page has 60 versions
		{[]string{"export", "histories"},
			map[string]int{"pages": 36, "versions": 3 + 3*60 + 16 + 14*60}},
	} {
		got := decode[struct {
			Rows map[string]int
			Torn int
		}](t, call(c.args...), true)
		if fmt.Sprint(got.Rows) != fmt.Sprint(c.want) || got.Torn != 0 {
			t.Errorf("%v wrote %+v, want %v", c.args, got, c.want)
		}
	}
	return m
}

// writeJournal writes 40 days of a crawl: one page changes each day, the other never.
func writeJournal(t *testing.T, dir string) {
	t.Helper()
	j, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	start := time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC)
	for d := range 40 {
		for page, verdict := range []string{"changed", "unchanged"} {
			e := journal.Entry{URL: fmt.Sprintf("http://a.example/%d", page), Round: d,
				Time: start.AddDate(0, 0, d), Verdict: verdict, Outcome: "fetched", Reason: "due",
				Probability: &half, Next: start.AddDate(0, 0, d+1)}
			if d == 0 {
				e.Verdict, e.First, e.Probability = "first", true, nil
			}
			if err := j.Append(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// row is a row of a query or CSV file, by column; unknown values are nil.
type row map[string]any

func (r row) text(column string) string { return fmt.Sprint(r[column]) }

// number returns the number in a column, also of CSV, or NaN.
func (r row) number(column string) float64 {
	switch v := r[column].(type) {
	case float64:
		return v
	case string:
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			return x
		}
	}
	return math.NaN()
}

func readTable(t *testing.T, file string) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%s: %d lines, %v", file, len(lines), err)
	}
	for _, line := range lines[1:] {
		r := row{}
		for i, value := range line {
			r[lines[0][i]] = value
		}
		rows = append(rows, r)
	}
	return rows
}

// TestTables compares the CSV files of a stream with its output. Subtests compare what DuckDB reads
// from Parquet.
func TestTables(t *testing.T) {
	t.Parallel()
	m := measure(t)
	read := func(name string) []row {
		t.Helper()
		return readTable(t, filepath.Join(m.dir, "tables", name+".csv"))
	}
	results, runs, weeks := read("results"), read("runs"), read("weekly")
	type key struct{ policy, budget string }
	visits, changed := map[key]int{}, map[key]int{}
	for _, v := range read("visits") {
		k := key{v.text("policy"), v.text("budget")}
		visits[k]++
		if v["verdict"] == "changed" {
			changed[k]++
		}
		if server := v.text("server"); !strings.HasPrefix(v.text("page"), "http://"+server+"/") {
			t.Fatalf("%v", v)
		}
		if p := v.number("probability"); p < 0 || p > 1 || math.IsNaN(p) && v["first"] != "TRUE" {
			t.Fatalf("probability %v of %v", p, v)
		}
	}
	n := 0
	for _, run := range m.streams {
		for _, r := range run.Results {
			if row := results[n]; row["policy"] != r.Policy ||
				row.number("budget") != run.Budget ||
				row.number("coverage") != float64(r.Coverage) ||
				row.number("freshness") != float64(r.Freshness) ||
				row.number("coverage_low") != float64(r.Interval(eval.Coverage)[0]) &&
					!(row.number("coverage_low") <= float64(r.Coverage)) {
				t.Errorf("row %v of %+v", row, r)
			}
			for i, of := range r.Runs {
				if row := runs[2*n+i]; row["policy"] != r.Policy ||
					row.number("seed") != float64(of.Seed) ||
					row.number("coverage") != float64(of.Coverage) {
					t.Errorf("row %v of %+v", row, of)
				}
			}
			for i, of := range r.Weekly {
				if row := weeks[6*n+i]; row["policy"] != r.Policy ||
					row.number("week") != float64(i+1) ||
					row.number("coverage") != float64(of.Coverage) {
					t.Errorf("row %v of %+v", row, of)
				}
			}
			k := key{r.Policy, strconv.FormatFloat(run.Budget, 'g', -1, 64)}
			if d := float64(visits[k])/2 - float64(r.Fetched); math.Abs(d) > 0.5 { // it is rounded
				t.Errorf("%v: %d visits of two runs, %d fetched in the mean", k, visits[k], r.Fetched)
			}
			if found := float64(changed[k]) / 2 / float64(run.Corpus.Events); math.Abs(
				found-float64(r.Coverage)) > 1e-9 {
				t.Errorf("%v: coverage %v by visits, %v by results", k, found, r.Coverage)
			}
			n++
		}
	}
	if len(results) != n || len(runs) != 2*n || len(weeks) != 6*n || n != 8 {
		t.Errorf("%d results, %d runs, %d weeks of %d", len(results), len(runs), len(weeks), n)
	}
	t.Run("queries", m.testQueries)
	t.Run("python", func(t *testing.T) {
		m.testShown(t, "python", "python3", "-c", "import pandas")
	})
	t.Run("r", func(t *testing.T) { m.testShown(t, "r", "Rscript", "--version") })
}

// rounds writes the result of the benchmark of rounds, for rounds of this many seconds.
func rounds(t *testing.T, dir string) {
	t.Helper()
	var text strings.Builder
	for _, of := range []struct {
		pages   int
		seconds []float64
	}{{1e6, []float64{99, 7, 9, 1, 3}}, {4e6, []float64{0, 5, 9, 1}}} {
		r := scale.Result{Pages: of.pages}
		for _, s := range of.seconds {
			r.Rounds = append(r.Rounds, scale.Round{Processor: s, Begin: s / 10})
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	writeFile(t, filepath.Join(dir, "rounds.jsonl"), text.String())
}
