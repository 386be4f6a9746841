package core_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// line returns a line of a history of a.example: the content of its page from a week on. Without
// links it says nothing about them, like later lines of a page with unchanged links.
func line(week int, path, content string, links ...string) string {
	return lineOf("a.example", week, path, content, links...)
}

func lineOf(server string, week int, path, content string, links ...string) string {
	fields := map[string]any{"url": "http://" + server + path, "t": 1_700_000_000 + week*7*24*3600,
		"digest": sitegraph.DigestOf([]byte(path + content)).String()}
	if len(links) > 0 {
		for i := range links {
			links[i] = "http://" + server + links[i]
		}
		fields["links"] = links
	}
	b, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("line of %s%s: %v", server, path, err)) // plain values
	}
	return string(b)
}

func goneLine(week int, path string) string {
	return fmt.Sprintf(`{"url":"http://a.example%s","t":%d,"gone":true}`,
		path, 1_700_000_000+week*7*24*3600)
}

// histories writes lines into files, separated by "", and returns their paths.
func histories(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, file := range strings.Split(strings.Join(lines, "\n"), "\n\n") {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), file+"\n")
	}
	return dir
}

// bounded runs the program and checks that it answers within a bounded memory.
func bounded(t *testing.T, args ...string) result {
	t.Helper()
	const mostBytes = 1 << 30 // it takes 100 MB alone
	p := start(t, t.TempDir(), nil, args...)
	r := p.result()
	if usage, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok &&
		usage.Maxrss*1024 > mostBytes {
		t.Errorf("recrawl %v took %d MB", args, usage.Maxrss>>10)
	}
	return r
}

// TestHistoriesOfNothing gives survey, eval and sites histories without any content.
func TestHistoriesOfNothing(t *testing.T) {
	t.Parallel()
	commands := map[string][]string{"survey": {"survey"}, "snapshot": {"eval"},
		"stream": {"eval", "--protocol", "stream"},
		"sites":  {"sites", "a.example", "--history"}}
	allCommands := "survey snapshot stream sites"
	for _, c := range []struct {
		name     string
		lines    []string
		commands string
		code     int
		words    []string
	}{
		{"empty file", []string{""}, "survey stream sites", 1,
			[]string{"0.jsonl: the file is empty", "leave it out"}},
		{"blank lines", []string{" \n "}, allCommands, 1, []string{"0.jsonl: the file is empty"}},
		{"no page at any time", []string{goneLine(0, "/"), goneLine(1, "/a")}, allCommands, 2,
			[]string{"the top page of a.example exists at no week of the window",
				"entered at its top page"}},
		{"all pages gone before the base", []string{line(0, "/", "", "/a"), line(0, "/a", ""),
			goneLine(5, "/"), goneLine(5, "/a")}, allCommands, 2,
			[]string{"the top page of a.example does not exist at week 12",
				"it does at week 0: --base 0"}},
		{"no top page, no page at the base", []string{line(0, "/a", "", "/b"), goneLine(1, "/a")},
			"snapshot stream", 2, []string{"the history of a.example has no top page " +
				"http://a.example/, and none of its pages exists at week 12"}},
		{"no pages at the base", []string{line(0, "/a", ""), goneLine(1, "/a"), "",
			lineOf("b.example", 0, "/b", ""),
			strings.Replace(goneLine(1, "/b"), "a.example", "b.example", 1)},
			"survey snapshot stream", 2,
			[]string{"at week 12", "--base"}},
		{"no links", []string{line(0, "/", ""), line(0, "/a", ""), line(13, "/a", "2")},
			"snapshot stream", 2,
			[]string{"no history has links at the base, week 12", `"links"`, "--base"}},
		{"no links on any server", []string{line(0, "/", ""), line(0, "/a", ""), "",
			lineOf("b.example", 0, "/", ""), lineOf("b.example", 0, "/b", "")},
			"survey snapshot stream", 2,
			[]string{"no history has links at the base, week 12"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := histories(t, c.lines...)
			for _, command := range strings.Fields(c.commands) {
				bounded(t, append(commands[command], dir)...).refused(t, c.code, c.words...)
			}
		})
	}
}

// hub returns links to pages, of which every nth exists, changed by week 13 if it is even.
func hub(links, nth int) []string {
	var to, later []string
	for i := range links {
		to = append(to, fmt.Sprintf("/p/%d", i))
	}
	lines := []string{line(0, "/", "", to...)}
	for i := 0; i < links; i += nth {
		path := fmt.Sprintf("/p/%d", i)
		lines = append(lines, line(0, path, "", "/"))
		if i/nth%2 == 0 {
			later = append(later, line(13, path, "2"))
		}
	}
	return append(lines, later...)
}

// TestOddHistories gives survey, eval and sites valid but unusual histories: the figures are right,
// and doubts are reported.
func TestOddHistories(t *testing.T) {
	t.Parallel()
	repeated := func(n int, paths ...string) (links []string) {
		for i := range n {
			links = append(links, paths[i%len(paths)])
		}
		return links
	}
	for _, c := range []struct {
		name                                     string
		lines                                    []string
		pages, changed, vanished, events, births int
		// sites of a.example by method b-closure; -1: not asked
		sites                      int
		surveyWarning, evalWarning string
	}{
		{"cycles", []string{line(0, "/", "", "/a/"), line(0, "/a/", "", "/b/"),
			line(0, "/b/", "", "/a/", "/"), line(13, "/a/", "2")},
			3, 1, 0, 1, 0, 3, "", ""},
		{"a page with 100,000 links", hub(100_000, 10), 10_001, 5_000, 0, 5_000, 0, 10_001, "", ""},
		{"100,000 times the same links",
			[]string{line(0, "/", "", repeated(100_000, "/a", "/", "/b")...), line(0, "/a", ""),
				line(0, "/b", ""), line(13, "/b", "2")},
			3, 1, 0, 1, 0, 1, "", ""},
		{"a single page", []string{line(0, "/", ""), line(13, "/", "2")}, 1, 1, 0, 1, 0, 1, "", ""},
		{"links to itself, twice, and to nowhere",
			[]string{line(0, "/", "", "/", "/a", "/a", "/nowhere", "/no/where/"),
				line(0, "/a", "", "/a", "/nowhere", "/nowhere"), line(13, "/a", "2")},
			2, 1, 0, 1, 0, 1, "", ""},
		{"links to a page that comes later", []string{line(0, "/", "", "/a"), line(0, "/a", ""),
			line(13, "/", "2", "/a", "/late"), line(13, "/late", ""), line(14, "/late", "2")},
			2, 1, 0, 2, 1, 1, "", ""},
		{"all pages vanish", []string{line(0, "/", "", "/a", "/b"), line(0, "/a", ""),
			line(0, "/b", ""), goneLine(13, "/"), goneLine(13, "/a"), goneLine(13, "/b")},
			0, 0, 3, 0, 0, 1, "N = 2 weeks: all 3 pages have vanished by then",
			"N = 2 weeks: all 3 pages have vanished by then"},
		{"all pages of one server vanish", []string{line(0, "/", "", "/a"), line(0, "/a", ""),
			goneLine(13, "/"), goneLine(13, "/a"), "",
			lineOf("b.example", 0, "/", "", "/b"), lineOf("b.example", 0, "/b", ""),
			lineOf("b.example", 13, "/b", "2")}, 2, 1, 2, 1, 0, 1, "", ""},
		{"a server without links",
			[]string{line(0, "/", ""), line(0, "/a", ""), line(13, "/a", "2"), "",
				lineOf("b.example", 0, "/", "", "/b"), lineOf("b.example", 0, "/b", "")}, 3, 0, 0,
			0, 0, -1,
			"the history of a.example has no links at week 12: only its start page is " +
				"surveyed, 1 other pages are left out",
			"the history of a.example has no links at week 12: only its start page counts, 1 " +
				"other pages are left out"},
		{"a server without its top page", []string{line(0, "/a", "", "/b"), line(0, "/b", ""), "",
			lineOf("b.example", 0, "/", "", "/b"), lineOf("b.example", 0, "/b", "")}, 4, 0, 0, 0, 0,
			-1, "the history of a.example has no top page; it is entered at the pages seen first: " +
				"http://a.example/a\n", "the pages seen first: http://a.example/a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := histories(t, c.lines...)
			warned := func(r result, warning string) {
				t.Helper()
				if (warning == "") != (r.stderr == "") || !strings.Contains(r.stderr, warning) {
					t.Errorf("recrawl %v: warned %q, want %q", r.args, r.stderr, warning)
				}
			}

			r := bounded(t, "survey", dir, "--weeks", "2", "--quiet", "--json").ok(t)
			p := decode[surveyResult](t, r, true).Total.Periods[0]
			if p.Pages != c.pages || p.Updated != c.changed || p.Vanished != c.vanished {
				t.Errorf("survey: %+v", p)
			}
			warned(r, c.surveyWarning)

			r = bounded(t, "eval", dir, "--weeks", "2", "--policy",
				"random,b-closure,c-then-b,server-sample,clairvoyant", "--quiet", "--json").ok(t)
			run := decode[[]snapshotRun](t, r, false)[0]
			if run.Corpus.Pages != c.pages || run.Corpus.Changed != c.changed ||
				run.Corpus.Vanished != c.vanished {
				t.Errorf("snapshot: %+v", run.Corpus)
			}
			for _, of := range run.Results {
				whole := of.Policy == "random" || of.Policy == "clairvoyant" ||
					of.Policy == "server-sample"
				if of.Fetched > c.pages || of.ChangedFetched > c.changed || whole &&
					(of.Fetched != c.pages || of.ChangedFetched != c.changed) {
					t.Errorf("snapshot by %s: %d fetched, %d changed",
						of.Policy, of.Fetched, of.ChangedFetched)
				}
			}
			warned(r, c.evalWarning)

			r = bounded(t, "eval", dir, "--protocol", "stream", "--weeks", "2", "--budget", "1",
				"--policy", "breadth-first,c-closure,ebayes,clairvoyant", "--quiet", "--json").ok(t)
			stream := decode[[]streamRun](t, r, false)[0]
			if stream.Corpus.BasePages != c.pages+c.vanished || stream.Corpus.Events != c.events {
				t.Errorf("stream: %+v, want %d events", stream.Corpus, c.events)
			}
			for _, of := range stream.Results {
				// each page each day, or the changed ones
				whole := of.Policy == "breadth-first" || of.Policy == "clairvoyant"
				if of.NewFetched != c.births || of.Changed > c.events || whole &&
					of.Changed != c.events {
					t.Errorf("stream by %s: %d changed, %d new",
						of.Policy, of.Changed, of.NewFetched)
				}
			}
			if !strings.HasPrefix(c.evalWarning, "N = ") { // a stream has no horizon
				warned(r, c.evalWarning)
			}

			if c.sites < 0 {
				return
			}
			for _, method := range []string{"a", "b-closure", "c"} {
				d := decode[partition](t, bounded(t, "sites", "--history", dir, "a.example",
					"--method", method, "--quiet", "--json").ok(t), true)
				placed := map[string]bool{}
				for _, s := range d.Sites {
					for _, url := range append(s.Tops, s.Members...) {
						placed[url] = true
					}
				}
				if len(placed)+len(d.Orphans) != d.Pages || method == "b-closure" &&
					len(d.Sites) != c.sites {
					t.Errorf("sites by %s: %d pages, %d in %d sites, %d orphans",
						method, d.Pages, len(placed), len(d.Sites), len(d.Orphans))
				}
			}
		})
	}
}

// TestLateBase checks that a late base with too few weeks uses those that fit, and says so.
func TestLateBase(t *testing.T) {
	file := writeFile(t, filepath.Join(t.TempDir(), "a.jsonl.gz"), historyFile(t, "a.example", 3))
	const unfit = "recrawl: warning: not all of the usual weeks (2,4,12,24) fit after week 50 " +
		"of a window of 60 weeks; taken: 2,4; --weeks and --base choose others\n"
	r := recrawl(t, "survey", file, "--base", "50", "--quiet", "--json").ok(t)
	s := decode[surveyResult](t, r, true)
	if fmt.Sprint(s.Weeks) != "[2 4]" || r.stderr != unfit || len(s.Warnings) != 1 {
		t.Errorf("survey of the weeks %v, warnings %q", s.Weeks, r.stderr)
	}
	r = recrawl(t, "eval", file, "--base", "50", "--policy", "random", "--quiet", "--json").ok(t)
	if runs := decode[[]snapshotRun](t, r, false); len(runs) != 2 || runs[1].Weeks != 4 ||
		r.stderr != unfit {
		t.Errorf("%d horizons, warnings %q", len(runs), r.stderr)
	}
	r = recrawl(t, "eval", file, "--base", "30", "--protocol", "stream", "--policy", "random",
		"--quiet", "--json").ok(t)
	if runs := decode[[]streamRun](t, r, false); len(runs) != 1 || runs[0].Weeks != 30 ||
		!strings.Contains(r.stderr, "taken: 30;") {
		t.Errorf("%d streams, warnings %q", len(runs), r.stderr)
	}
	for _, args := range [][]string{{"survey", file}, {"eval", file, "--policy", "random"}} {
		// 24 snapshots end with the window
		if r := recrawl(t, append(args, "--base", "37", "--quiet")...).ok(t); r.stderr != "" {
			t.Errorf("recrawl %v: %s", r.args, r.stderr)
		}
		recrawl(t, append(args, "--base", "50", "--weeks", "2,12")...).refused(t, 2, "--weeks 12",
			"2 to 11")
	}
	if r := recrawl(t, "survey", file, "--base", "59", "--quiet",
		"--json").ok(t); fmt.Sprint(decode[surveyResult](t, r, true).Weeks) != "[2]" {
		t.Errorf("at the last base %s", r.stdout)
	}
}
