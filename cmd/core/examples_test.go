package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/recrawl/recrawl/cmd/core"
)

// onlyRead are examples whose arguments and settings the test only reads, with the reason.
var onlyRead = map[string]string{
	"recrawl demo": "half a minute; TestDemo runs a smaller one",
	"recrawl bench": "measures for long; TestBench runs smaller ones, as processes of " +
		"their own",
	"recrawl tune --journal": "predicts for long; TestTune " +
		"does it on less",
	"recrawl checkpoint --data crawl --to copy && recrawl tune": "predicts for long; TestTune " +
		"does it on less",
	"recrawl schedule simulate":    "simulates for long; TestSchedule does it on less",
	"recrawl schedule plan":        "simulates for long; TestSchedule does it on less",
	"recrawl tune histories/ --ta": "predicts for long; TestTune does it on less",
	"recrawl tune histories/ --ba": "predicts for long; TestTune does it on less",
	"recrawl node":                 "wants a cluster; TestNode has one",
	"recrawl hint":                 "wants a run beside it; TestHint has one",
	"recrawl run --data crawl --user-agent \"mybot/1.0 (+https://example.org/bot)\" --proxy": "wants a guard beside it; TestGuard has one",
	"recrawl frontier --data crawl --listen 10.20.0.1:7071":                                  "wants a certificate; TestToken has a token",
}

// serving are commands that run until they are interrupted.
var serving = []string{"frontier", "guard", "replay", "serve"}

// TestExamples runs every example of the manual on prepared files, in this process. Servers outside
// of loopback are replaced by one there, and places above the directory by one in it. The program
// after a pipe is not run: its input must be JSON.
func TestExamples(t *testing.T) {
	web := library(shelves{servers: 1, sections: 1, pages: 3, every: still})
	for i := range 400 {
		web.Put("shelf0.example", "/news/index.html", webEpoch.Add(time.Duration(i)*24*time.Hour),
			text, page("/news/", i))
	}
	w := serve(t, web)
	prepared := prepare(t, w)
	for name, value := range map[string]string{"ALLOW_PRIVATE": "true", "DELAY": "1ms",
		"ROUND": "1s", "ROUNDS": "1", "UNLIMITED": "true",
		"EVAL_WEEKS": "2"} {
		t.Setenv("RECRAWL_"+name, value)
	}
	examples := core.ManualExamples()
	ran := 0
	for _, command := range slices.Sorted(maps.Keys(examples)) {
		for _, line := range examples[command] {
			why := notRun(line)
			t.Run(line, func(t *testing.T) {
				dir := t.TempDir()
				if why == "" {
					copyNamed(t, prepared, dir, line)
					ran++
				}
				t.Chdir(dir)
				for part := range strings.SplitSeq(line, " && ") {
					example(t, w, part, why != "")
				}
			})
		}
	}
	if ran < 50 {
		t.Errorf("only %d examples ran", ran)
	}
}

// copyNamed copies the files that an example names. A line without data uses those of recrawl.yaml.
func copyNamed(t *testing.T, from, to, line string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		isNamed := strings.Contains(line, name) || name == "crawl" || name == "recrawl.yaml"
		if !isNamed || name == "recrawl.yaml" && strings.HasPrefix(line, "recrawl init") {
			continue
		}
		if !entry.IsDir() {
			writeFile(t, filepath.Join(to, name), readFile(t, filepath.Join(from, name)))
		} else if err := os.CopyFS(filepath.Join(to, name),
			os.DirFS(filepath.Join(from, name))); err != nil {
			t.Fatal(err)
		}
	}
}

// notRun returns why an example is only read, or "" if it runs.
func notRun(line string) string {
	for part, why := range onlyRead {
		if strings.HasPrefix(line, part) || strings.HasPrefix(part, "-") &&
			strings.Contains(line, part) {
			return why
		}
	}
	return ""
}

var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// example runs one call, or only reads it.
func example(t *testing.T, w *lab, line string, onlyRead bool) {
	t.Helper()
	line, _, _ = strings.Cut(line, "   #")
	line, behind, piped := strings.Cut(line, " | ")
	rest, ok := strings.CutPrefix(line, "recrawl ")
	if !ok {
		t.Fatalf("it does not call recrawl: %s", line)
	}
	args := splitLine(rest)
	command := args[0]
	if !onlyRead {
		for i, arg := range args {
			if i > 0 && args[i-1] == "--user-agent" {
				continue
			}
			arg = regexp.MustCompile(`https://(www\.)?example\.(org|com)/`).ReplaceAllString(arg,
				w.bases[0]+"/")
			if args[i] == "example.org" && slices.Contains(args, "--data") {
				arg = strings.TrimPrefix(w.bases[0], "http://")
			}
			if port.MatchString(arg) &&
				(slices.Contains(serving, command) || args[i-1] == "--listen") {
				arg = freeAddress(t)
			}
			args[i] = strings.TrimPrefix(arg, "/")
		}
	}
	if onlyRead {
		if err := core.Settings(args); err != nil && !errors.Is(err, pflag.ErrHelp) {
			t.Fatal(err)
		}
		return
	}
	switch {
	case command == "init":
		args = append(args, "new.yaml")[:max(2, len(args))]
	case (command == "replay" || command == "frontier" || command == "serve") &&
		!strings.Contains(line, "--listen"):
		args = append(args, "--listen", freeAddress(t))
	}
	for i, arg := range args { // output of the command does not exist yet
		if i > 0 && (args[i-1] == "--to" || args[i-1] == "--history" && command != "sites") {
			if err := os.RemoveAll(arg); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, want := t.Context(), 0
	if slices.Contains(serving, command) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		time.AfterFunc(100*time.Millisecond, cancel)
		want = 130
	}
	var stdout, stderr bytes.Buffer
	if code := core.Run(ctx, args, &stdout, &stderr); code != want {
		t.Fatalf("recrawl %q: exit code %d, want %d\n%s\n%s", args, code, want, &stdout, &stderr)
	}
	if piped {
		if !strings.HasPrefix(behind, "jq ") {
			t.Errorf("behind the pipe is no jq: %s", behind)
		}
		if !json.Valid(stdout.Bytes()) {
			t.Errorf("no JSON:\n%s", &stdout)
		}
	}
}

// splitLine splits a line like a shell with double and single quotes.
func splitLine(line string) (all []string) {
	quoted := regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s"']+`)
	for _, word := range quoted.FindAllString(line, -1) {
		all = append(all, strings.Trim(word, `"'`))
	}
	return all
}

// prepare makes the files that the examples name: histories, a store with archive and journal,
// lists, captures, a log, rules, filters, a file of settings.
func prepare(t *testing.T, w *lab) string {
	t.Helper()
	dir := t.TempDir()
	do := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := core.Run(t.Context(), args, &stdout, &stderr); code != 0 {
			t.Fatalf("recrawl %q: exit code %d\n%s\n%s", args, code, &stdout, &stderr)
		}
	}
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	for _, folder := range []string{"histories", "archive", "backup"} {
		if err := os.Mkdir(at(folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, server := range []string{"example.org", "www.example.com", "b.example"} {
		writeFile(t, at("histories", server+".jsonl.gz"), historyFile(t, server, 6))
	}
	do("run", "--data", at("crawl"), "--archive", at("warc"), "--user-agent", contact,
		"--allow-private", "--delay", "1ms", "--unlimited",
		"--round", "1s", "--rounds", "2", "--quiet", w.bases[0]+"/", w.bases[0]+"/news/")
	do("checkpoint", "--data", at("crawl"), "--to", at("copy"))
	do("checkpoint", "--data", at("crawl"), "--to", at("backup", "crawl-monday"))
	do("export", "--archive", at("warc"), "--cdxj", at("captures.cdxj"))
	do("corpus", "build", "--archive", at("warc"), "--corpus", at("corpus"))
	files, err := filepath.Glob(at("warc", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no WARC file: %v", err)
	}
	for _, name := range []string{"archive/recrawl-20260131120000-00000.warc.gz", "other.warc.gz",
		"wget.warc.gz"} {
		writeFile(t, at(name), readFile(t, files[0]))
	}
	writeFile(t, at("captures.cdxj.gz"), readFile(t, at("captures.cdxj")))
	writeFile(t, at("searches.txt"), "news\n")
	writeFile(t, at("weights.tsv"), "2\t"+w.bases[0]+"/news/\n")
	writeFile(t, at("urls.txt"), "https://www.example.org/a\nhttps://www.example.org/b\n")
	do("import", "--set", at("seen"), "--quiet", at("urls.txt"))
	writeFile(t, at("access.log"),
		`192.0.2.1 - - [10/Oct/2025:13:55:36 +0000] "GET /news/ HTTP/1.1" 200 2326`+"\n")
	var log strings.Builder
	for i := range 50 {
		fmt.Fprintf(&log, "s%d.example,%d,%d\n", i%5, 1+i%3, 3600*(1+i%5))
	}
	writeFile(t, at("downloads.csv"), log.String())
	writeFile(t, at("kinds.tsv"), "example.org\tORG\nwww.example.com\tCOM\nb.example\tORG\n")
	writeFile(t, at("page.html"), "<title>News</title><main><h1>News</h1><p>Of today.</main>")
	writeFile(t, at("robots.txt"), "User-agent: *\nDisallow: /private/\n")
	writeFile(t, at("feed.xml"), "<rss><channel><item><link>/news/</link></item></channel></rss>")
	writeFile(t, at("sitemap.xml"), "<urlset><url><loc>/news/</loc></url></urlset>")
	writeFile(t, at("rules.yaml"),
		"rules:\n  - prefix: https://example.org/news/\n    ignore: [.ad]\n")
	writeFile(t, at("watch.yaml"), fmt.Sprintf("contact: a@b.example\nrules:\n- {name: news, "+
		"url: %q, to: file}\ntargets: {file: {command: [cat]}}\n", w.bases[0]+"/news/"))
	writeFile(t, at("filters.yaml"),
		"filters:\n- name: gambling\n  score: {least: 2, parts: [{words: [casino, bets]}]}\n")
	writeFile(t, at("pages.jsonl"),
		`{"url": "https://example.org/", "html": "<p>casino bets casino bets", "reject": ["gambling"]}`+"\n")
	writeFile(t, at("recrawl.yaml"), "data: crawl\nuser-agent: "+contact+"\n")
	return dir
}
