package core_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/fetch/corpus/query"
)

// asNamed makes the process the program with the name of the test binary, if there is one.
func asNamed(name string) {
	if name == "recrawl" {
		core.Main()
	}
	for _, part := range core.Parts {
		if name == "recrawl-"+part.Name {
			core.MainOf(part)
		}
	}
}

// programsIn puts the programs into a directory, as for a user.
func programsIn(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		if err := os.Link(binary(t), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	return dir
}

// call runs a program in a directory, and no other.
func call(t *testing.T, dir, path, name string, args ...string) result {
	t.Helper()
	p := &program{t: t, ended: make(chan struct{})}
	p.cmd = exec.Command(filepath.Join(dir, name), args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = t.TempDir(), &p.stdout, &p.stderr
	p.cmd.Env = append(slices.DeleteFunc(environment(), func(v string) bool {
		return strings.HasPrefix(v, "PATH=") || strings.HasPrefix(v, asProgram)
	}), "PATH="+path)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	return p.result()
}

// TestOtherProgram checks that a command of another program runs it from beside this one, or else
// from PATH, with the same arguments and exit code. If it is missing, the error says how to make
// it. Help is always there.
func TestOtherProgram(t *testing.T) {
	both := programsIn(t, "recrawl", "recrawl-search")
	alone := programsIn(t, "recrawl")
	for _, path := range [][2]string{{both, ""}, {alone, both}} {
		r := call(t, path[0], path[1], "recrawl", "--json", "search", "--corpus", "no where",
			"word")
		r.refused(t, 2, "there is no index in no where", "recrawl corpus build")
	}
	for name, args := range map[string][]string{
		"recrawl-search":  {"search", "--corpus", "corpus", "word"},
		"recrawl-cluster": {"node", "status"},
		"recrawl-lab":     {"schedule", "simulate"},
	} {
		call(t, alone, "", "recrawl", args...).refused(t, 1, name+",",
			"go build ./cmd/"+name+" makes it")
		help := call(t, alone, "", "recrawl", append(args, "--help")...).ok(t)
		if !strings.Contains(help.stdout, "Flags:") {
			t.Errorf("help of %v:\n%s", args, help.stdout)
		}
	}
	call(t, alone, "", "recrawl", "search").refused(t, 2, "no word to search for")
	flags := call(t, alone, "", "recrawl", "__complete", "node", "--sh").ok(t)
	if !strings.Contains(flags.stdout, "--shards") {
		t.Errorf("completion offers\n%s", flags.stdout)
	}
	pages := t.TempDir()
	call(t, alone, "", "recrawl", "man", "--to", pages).ok(t)
	for _, page := range []string{"recrawl-node-status.1", "recrawl-search.1",
		"recrawl-bench-sat.1", "recrawl-schedule-simulate.1"} {
		if _, err := os.Stat(filepath.Join(pages, page)); err != nil {
			t.Error(err)
		}
	}
	call(t, alone, "", "recrawl", "serve", "--data", "nowhere", "--corpus", "corpus").refused(t, 1,
		"nowhere")
}

// TestProgramOfPart checks that the program of a part has only its commands, and passes others to
// recrawl.
func TestProgramOfPart(t *testing.T) {
	both := programsIn(t, "recrawl", "recrawl-search")
	help := call(t, both, "", "recrawl-search", "--help").ok(t)
	if !strings.Contains(help.stdout, "  corpus ") || strings.Contains(help.stdout, "  run ") {
		t.Errorf("help:\n%s", help.stdout)
	}
	want := call(t, both, "", "recrawl", "policies", "--json").ok(t)
	got := call(t, both, "", "recrawl-search", "policies", "--json").ok(t)
	if got.stdout != want.stdout || len(want.stdout) < 1000 {
		t.Errorf("recrawl-search policies prints\n%s", got.stdout)
	}
	call(t, both, "", "recrawl-search", "corpsu").refused(t, 2, `unknown command "corpsu"`)
	call(t, programsIn(t, "recrawl-search"), "", "recrawl-search", "policies").refused(t, 1,
		"the program recrawl,")
}

// TestDashboardAsksSearch checks that a dashboard lets recrawl-search answer its searches, and
// distinguishes bad queries from other errors.
func TestDashboardAsksSearch(t *testing.T) {
	dir, web := t.TempDir(), serve(t, library(shelves{servers: 1, sections: 1, pages: 3,
		every: still}))
	data, warc, corpus := filepath.Join(dir, "data"), filepath.Join(dir, "warc"),
		filepath.Join(dir, "corpus")
	recrawl(t, "run", "--data", data, "--user-agent", contact, "--allow-private",
		"--delay", "1ms", "--rounds", "1", "--unlimited", "--quiet", web.starts()[0]).ok(t)
	capturesOf(t, warc, time.Now(), [2]string{"http://a.example/", "<title>River</title><p>" +
		strings.Repeat("The river rose in the night and fell in the morning. ", 6)})
	recrawl(t, "corpus", "build", "--archive", warc, "--corpus", corpus, "--quiet").ok(t)

	programs := programsIn(t, "recrawl", "recrawl-search")
	call(t, programs, "", "recrawl", "serve", "--data", data, "--corpus", dir).refused(t, 2,
		"there is no index in "+dir)
	address := freeAddress(t)
	cmd := exec.Command(filepath.Join(programs, "recrawl"), "serve", "--data", data, "--corpus",
		corpus, "--listen", address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	ask := func(of string) (status int, body []byte) {
		r, err := http.Get("http://" + address + "/api/v1/search?" + of)
		if err != nil {
			return 0, nil
		}
		defer r.Body.Close()
		body, err = io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, body
	}
	var status int
	var body []byte
	eventually(t, "the dashboard answers", func() bool {
		status, body = ask("q=river")
		return status != 0
	})
	var found query.Results
	if err := json.Unmarshal(body, &found); status != 200 || err != nil || found.Total != 1 {
		t.Errorf("status %d, %v: %s", status, err, body)
	}
	for _, bad := range []string{"q=-", "q=river&in=nose", "q=river&changed=yesterday"} {
		if status, body := ask(bad); status != 400 {
			t.Errorf("%s: status %d, %s", bad, status, body)
		}
	}
}

// TestPagesHaveCommands checks that every page of the manual is that of a command or program.
func TestPagesHaveCommands(t *testing.T) {
	files, err := os.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	known := core.CommandPaths()
	for _, part := range core.Parts {
		known = append(known, "recrawl-"+part.Name)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		if !slices.ContainsFunc(known, func(path string) bool {
			return strings.ReplaceAll(strings.TrimPrefix(path, "recrawl "), " ", "-") == name
		}) {
			t.Errorf("%s is the page of no command", f.Name())
		}
	}
}
