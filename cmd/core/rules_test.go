package core_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestRulesDocs checks the example of docs/reference/rules.md against the program.
func TestRulesDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string) string {
		_, rest, ok := strings.Cut(string(text), "```"+kind+"\n")
		body, _, closed := strings.Cut(rest, "```")
		if !ok || !closed {
			t.Fatalf("docs/reference/rules.md has no block %s", kind)
		}
		return body
	}
	dir := t.TempDir()
	for name, kind := range map[string]string{"page.html": "html", "rules.yaml": "yaml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(block(kind)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command, want, _ := strings.Cut(strings.TrimPrefix(block("console"), "$ recrawl "), "\n")
	r := recrawlIn(t, dir, nil, strings.Fields(command)...).ok(t)
	if got := trimmed(r.stdout); got != trimmed(want) {
		t.Errorf("docs/reference/rules.md has\n%s\nand the program prints\n%s", want, got)
	}
}

func trimmed(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// TestRunRules has a page with another advertisement at each visit and a true change at each third.
// Without a rule each visit sees a change; with one, only true ones do. The first visit under
// another rule is a baseline, and is unconditional.
func TestRunRules(t *testing.T) {
	t.Parallel()
	t.Run("anew", func(t *testing.T) {
		t.Parallel()
		w := newEditions(t)
		w.check("no rule", "without", "/", "first changed changed")
		w.visits.Store(0)
		w.conditional.Store(0)
		w.check("a rule", "with", "/", "first unchanged unchanged changed unchanged", "--rules",
			w.ignoring)
		if w.conditional.Load() == 0 {
			t.Error("no visit was conditional")
		}
		w.visits.Store(30)
		w.conditional.Store(0)
		w.check("another rule", "with", "/", "baseline", "--rules", w.watching)
		if plain := w.visits.Load() - 30 - w.conditional.Load(); plain != 1 {
			t.Errorf("%d visits after the change of rules were unconditional, want 1", plain)
		}
	})
	// With an archive the copy is read by the new rule: no change is missed or invented.
	for next, want := range map[int32]string{0: "unchanged", 30: "changed"} {
		t.Run("with an archive, "+want, func(t *testing.T) {
			t.Parallel()
			w := newEditions(t)
			kept := filepath.Join(w.dir, "archive")
			w.check("a rule", "data", "/", "first unchanged", "--rules", w.ignoring, "--archive",
				kept)
			w.visits.Store(next)
			w.check("another rule", "data", "/", want, "--rules", w.watching, "--archive", kept)
			w.visits.Store(next)
			w.check("no rule", "data", "/", "unchanged", "--change", "main", "--archive", kept)
		})
	}
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		w := newEditions(t)
		w.check("JSON", "json", "/data", "first unchanged unchanged changed unchanged", "--rules",
			w.ignoring)
	})
}

// editions is a web whose pages differ at each visit, with new content at every third.
type editions struct {
	*testing.T
	dir                 string
	url                 string
	ignoring, watching  string // files of rules
	visits, conditional atomic.Int32
}

func newEditions(t *testing.T) *editions {
	w := &editions{T: t, dir: t.TempDir()}
	web := httptest.NewServer(w)
	t.Cleanup(web.Close)
	w.url = web.URL
	file := func(name, text string) string {
		return writeFile(t, filepath.Join(w.dir, name), "rules:\n- prefix: "+w.url+"/\n"+text)
	}
	w.ignoring = file("ignoring.yaml", "  ignore: .ad\n  json: {ignore: $.now}\n")
	w.watching = file("watching.yaml", "  watch: h1\n  json: {watch: $.edition}\n")
	return w
}

func (e *editions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" && r.URL.Path != "/data" {
		http.NotFound(w, r)
		return
	}
	n := e.visits.Add(1) - 1
	if r.Header.Get("If-None-Match") != "" {
		e.conditional.Add(1)
	}
	w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint(n)))
	if r.URL.Path == "/data" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"now": %d, "edition": %d}`, n, n/3)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>News</title><div class=ad>Buy %d</div><main><h1>Edition "+
		"%d</h1></main>", n, n/3)
}

// check makes rounds until there are the wanted verdicts.
func (e *editions) check(what, data, path, want string, more ...string) {
	e.Helper()
	data = filepath.Join(e.dir, data)
	before := 0
	if _, err := os.Stat(data); err == nil {
		before = len(readJournal(e.T, data))
	}
	args := []string{"run", "--data", data, "--user-agent", contact, "--allow-private",
		"--delay", "1ms", "--unlimited",
		"--policy", "breadth-first", "--round", "1s", "--rounds",
		fmt.Sprint(len(strings.Fields(want)) + 1), e.url + path}
	var got []string
	// a busy machine misses rounds
	for tries := 0; tries < 10 && len(got) < len(strings.Fields(want)); tries++ {
		got = nil
		recrawl(e.T, append(args, more...)...)
		for _, v := range readJournal(e.T, data)[before:] {
			if v.URL == e.url+path {
				got = append(got, v.Verdict)
			}
		}
	}
	if !strings.HasPrefix(strings.Join(got, " ")+" ", want+" ") {
		e.Errorf("%s: verdicts %s, want %s", what, got, want)
	}
}
