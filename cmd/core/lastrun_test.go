package core_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLastRun checks that a data directory starts no program: neither that of its run, nor one that
// somebody wrote into its file of settings. The commands say so, and use the program that the user
// names.
func TestLastRun(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	lab := serve(t, library(shelves{servers: 1, sections: 1, pages: 2, days: 1, every: still}))
	data, touched := filepath.Join(work, "data"), filepath.Join(work, "touched")
	program := "exec:touch " + touched
	recrawl(t, append([]string{"run", "--data", data, "--delay", "1ms", "--user-agent", contact,
		"--allow-private", "--unlimited", "--round", "1s", "--rounds", "1", "--policy", program},
		lab.starts()...)...)
	file := filepath.Join(data, "run.yaml")
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "touch") {
		t.Fatalf("%q, error %v", text, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	if err := os.Remove(touched); err != nil {
		t.Fatalf("the policy of the run did not start: %v", err)
	}
	for _, of := range []string{string(text), "unlimited: true\npolicy: " + program + "\n"} {
		writeFile(t, file, of)
		r := recrawl(t, "plan", "--data", data).ok(t)
		saysOne(t, "plan", r.stderr, "give --policy exec:COMMAND again")
		if _, err := os.Stat(touched); err == nil {
			t.Errorf("%q started a program", of)
		}
		r = recrawl(t, "plan", "--data", data, "--policy", program)
		if _, err := os.Stat(touched); err != nil ||
			strings.Contains(r.stderr, "the last run had a program") {
			t.Errorf("the program of the user: %v, %s", err, r.stderr)
		}
		os.Remove(touched)
	}

	// Another command named plan takes nothing from the run.
	writeFile(t, file, "seed: many\n")
	const unread = "settings of the last run"
	if r := recrawl(t, "plan", "--data", data).ok(t); !strings.Contains(r.stderr, unread) {
		t.Errorf("plan says %q", r.stderr)
	}
	if r := recrawl(t, "schedule", "plan", "--data", data); strings.Contains(r.stderr, unread) {
		t.Errorf("schedule plan takes settings of the last run: %s", r.stderr)
	}
}
