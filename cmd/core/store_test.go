package core_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckpointsAtOnce requests several copies at the same time, of a store in use and of an
// unused one: each request gets a whole copy, and none remains.
func TestCheckpointsAtOnce(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 2, sections: 2, pages: 3, days: 1, every: still}))
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	run := start(t, dir, nil,
		append([]string{"run", "--data", data, "--user-agent", contact, "--allow-private",
			"--delay", "1ms", "--quiet"}, lab.starts()...)...)
	eventually(t, "a visit", func() bool { return lab.count() > 3 })
	copies := func(running bool, n int) {
		t.Helper()
		var asked []*program
		var names []string
		for range n {
			names = append(names,
				filepath.Join(dir, fmt.Sprintf("copy-%v-%d", running, len(names))))
			asked = append(asked, start(t, dir, nil, "checkpoint", "--data", data, "--to",
				names[len(names)-1]))
		}
		for i, p := range asked {
			if code := p.wait(); code != 0 {
				t.Errorf("running %v: checkpoint %d ends with %d: %s", running, i, code, &p.stderr)
			}
			if r := recrawl(t, "check", "--data", names[i]).ok(t); !strings.Contains(r.stdout,
				"all is whole") {
				t.Errorf("running %v: check %s: %s", running, names[i], r.stdout)
			}
		}
		if left, err := filepath.Glob(filepath.Join(data, "checkpoint-*")); err != nil ||
			len(left) > 0 {
			t.Errorf("running %v: left are %v, %v", running, left, err)
		}
	}
	copies(true, 4)
	// To the same place: one gets it, the other an error.
	same := filepath.Join(dir, "same")
	first, second := start(t, dir, nil, "checkpoint", "--data", data, "--to", same),
		start(t, dir, nil, "checkpoint", "--data", data, "--to", same)
	if a, b := first.wait(), second.wait(); (a == 0) == (b == 0) {
		t.Errorf("two copies to one place end with %d and %d: %s %s",
			a, b, &first.stderr, &second.stderr)
	}
	recrawl(t, "check", "--data", same).ok(t)
	run.interrupt()
	copies(false, 3)
}

// TestCheckpoint copies a store during a run and after it. Every reader of stores can read the
// copies, and a damaged one is found.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 2, sections: 2, pages: 3, days: 1, every: still}))
	dir := t.TempDir()
	data, live, late := filepath.Join(dir, "data"), filepath.Join(dir, "live"),
		filepath.Join(dir, "late")
	run := start(t, dir, nil,
		append([]string{"run", "--data", data, "--user-agent", contact, "--allow-private",
			"--delay", "1ms", "--quiet"}, lab.starts()...)...)
	eventually(t, "a visit", func() bool { return lab.count() > 3 })
	if r := recrawl(t, "checkpoint", "--data", data, "--to", live,
		"--json").ok(t); !strings.Contains(r.stdout, `"running": true`) {
		t.Errorf("run made no copy: %s", r.stdout)
	}
	recrawl(t, "checkpoint", "--data", data, "--to", live).refused(t, 2, "is there already")
	recrawl(t, "inspect", "--data", data).refused(t, 1, "in use", "recrawl checkpoint")
	run.interrupt()
	recrawl(t, "checkpoint", "--data", data, "--to", late).ok(t)
	settings, err := os.ReadFile(filepath.Join(data, "run.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{data, live, late} {
		kept, err := os.ReadFile(filepath.Join(name, "run.yaml"))
		if err != nil || !bytes.Equal(kept, settings) {
			t.Errorf("%s has the settings %q, %v; want %q", name, kept, err, settings)
		}
		recrawl(t, "plan", "--data", name, "--show", "3").ok(t)
		recrawl(t, "explain", "--data", name, lab.starts()[0]).ok(t)
		if r := recrawl(t, "check", "--data", name).ok(t); !strings.Contains(r.stdout,
			"all is whole") {
			t.Errorf("check %s: %s", name, r.stdout)
		}
		inspected := decode[struct {
			Pages, Records int
			Due            []struct{ Records int }
		}](t, recrawl(t, "inspect", "--data", name, "--json").ok(t), false)
		sum := 0
		for _, d := range inspected.Due {
			sum += d.Records
		}
		if inspected.Pages == 0 || sum != inspected.Records || sum != inspected.Pages {
			t.Errorf("inspect %s: %d pages, %d records, %d of them due",
				name, inspected.Pages, inspected.Records, sum)
		}
	}
	if r := recrawl(t, "inspect", "--data", late).ok(t); !strings.Contains(r.stdout,
		"Records by due time") || !strings.Contains(r.stdout, "#") {
		t.Errorf("inspect prints no histogram:\n%s", r.stdout)
	}

	files, err := filepath.Glob(filepath.Join(late, "sat", "run-*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no run files in the copy: %v", err)
	}
	for _, file := range files { // links to files of the original must stay unchanged
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			whole[i] ^= 0x55
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := recrawl(t, "check", "--data", late).exit(t, 4); !strings.Contains(r.stdout,
		filepath.Join("sat", "run-")) {
		t.Errorf("check names no file: %s", r.stdout)
	}
	recrawl(t, "check", "--data", data).ok(t)
}
