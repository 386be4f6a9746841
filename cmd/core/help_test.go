package core

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostShort is the most flags in a help of one level.
const mostShort = 14

// TestHelpOfTwoLevels checks that help is at most 100 columns wide. The short one explains ten
// flags and names the others; the whole one explains each once.
func TestHelpOfTwoLevels(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		short, whole := helpOf(t, append(path, "--help")), helpOf(t, append(path, "--help-all"))
		for _, text := range []string{short, whole} {
			for line := range strings.SplitSeq(text, "\n") {
				if n := len([]rune(line)); n > 100 {
					t.Errorf("%v: a line of %d columns: %s", path, n, line)
				}
			}
		}
		flags, often := flagsOf(c.NonInheritedFlags()), everydayFlags(manualPageOf(c))
		if len(often) > 10 || len(often) == 0 && len(flags) > mostShort {
			t.Errorf("%v: %s for every day, of %d", path, words.Plural(len(often), "flag"),
				len(flags))
		}
		for _, name := range often {
			if c.Flags().Lookup(name) == nil {
				t.Errorf("%v has no flag --%s", path, name)
			}
		}
		for _, f := range flags {
			known[f.Name] = true
			if !strings.Contains(short, " --"+f.Name) &&
				!slices.Contains(flagsAsRun, manualPageOf(c)) {
				t.Errorf("the short help of %v does not name --%s", path, f.Name)
			}
			_, list, _ := strings.Cut(whole, "lags") // the first heading of flags
			n := 0
			for _, begin := range []string{"\n      --", "\n  -h, --", "\n  -v, --"} {
				n += strings.Count(list, begin+f.Name+" ")
			}
			if n != 1 {
				t.Errorf("the whole help of %v explains --%s %d times", path, f.Name, n)
			}
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit((&Program{stdout: io.Discard, stderr: io.Discard}).rootCommand())
	for _, h := range flagHeadings {
		for _, name := range h.Flags {
			if !known[name] {
				t.Errorf("%s: no command has a flag --%s", h.Title, name)
			}
		}
	}
}

// helpOf returns the output of a call for help.
func helpOf(t *testing.T, args []string) string {
	t.Helper()
	var out, err strings.Builder
	if code := Run(t.Context(), args, &out, &err); code != ExitOK || err.Len() > 0 ||
		out.Len() == 0 {
		t.Errorf("recrawl %v: exit code %d, %s", args, code, err.String())
	}
	return out.String()
}

// TestHelpEndsTheCommandLine checks that --help-all works at any place of a command line, without
// running the command. Paragraphs are wrapped, indented lines and columns are not.
func TestHelpEndsTheCommandLine(t *testing.T) {
	t.Parallel()
	want := helpOf(t, []string{"run", "--help-all"})
	if got := helpOf(t, []string{"run", "--data", "no such directory", "--help-all",
		"--rounds"}); got != want {
		t.Errorf("help inside a command line:\n%s", got)
	}
	if got, want := strings.Join(reflowed("One\ntwo.\n\n  a\n  b\nthree\nx   y\nfour"), "|"),
		"One two.||  a|  b|three|x   y|four"; got != want {
		t.Errorf("reflowed to %q, want %q", got, want)
	}
}
