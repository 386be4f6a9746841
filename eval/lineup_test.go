package eval

import (
	"slices"
	"testing"
)

// TestLineupOfPrograms checks that a program takes part if it is named, also with "all", which does
// not include it.
func TestLineupOfPrograms(t *testing.T) {
	const program = "exec:./mine.py"
	for _, of := range []struct {
		named []string
		want  int
	}{{[]string{"interval", program}, 2}, {[]string{"all", program}, 0}, {[]string{program}, 1}} {
		l := Lineup{Protocol: "stream", Named: of.named, Compare: program}
		got := l.All()
		if !slices.Contains(got, program) || of.want > 0 && len(got) != of.want ||
			of.want == 0 && !slices.Contains(got, "interval") {
			t.Errorf("%v: %v", of.named, got)
		}
		if l.Compared() != program || slices.Contains(l.WithWorth(), program) {
			t.Errorf("%v: compared is %s, of worth are %v", of.named, l.Compared(), l.WithWorth())
		}
	}
}
