package planner

import (
	"os"
	"regexp"
	"testing"
)

// The page about the opponents has one line for each, and none for others.
func TestOpponentsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/opponents.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9+-]+)` \\| .+ \\| .+ \\|$").FindAllStringSubmatch(string(page), -1) {
		lines[m[1]]++
		if !Published(m[1]) {
			t.Errorf("%s has a line and is no published policy", m[1])
		}
	}
	for _, name := range PolicyNames() {
		if Published(name) && !SweepOnly(name) && lines[name] != 1 {
			t.Errorf("%s has %d lines, want one", name, lines[name])
		}
	}
}
