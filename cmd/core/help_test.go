package core

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/recrawl/recrawl/cmd/config"
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

// TestHelpListsCommandsIn80Columns checks that each line of a list of commands fits 80 columns,
// because lists are not wrapped.
func TestHelpListsCommandsIn80Columns(t *testing.T) {
	t.Parallel()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		var list strings.Builder
		helpCommands(&list, c)
		for line := range strings.SplitSeq(list.String(), "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%s: a line of %d columns: %s", c.CommandPath(), n, line)
			}
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit((&Program{stdout: io.Discard, stderr: io.Discard}).rootCommand())
}

// TestFlagsOfCommands checks that a command has shared flags only under headings whose settings it
// reads, and that the commands around run have exactly the flags that they use.
func TestFlagsOfCommands(t *testing.T) {
	t.Parallel()
	const crawled, budget, polite, kept, told, shown, policy, results = "What is crawled", "Budget",
		"Politeness and network", "Archive", "Changes told to and by others", "Dashboard and log",
		"Policy", "Results"
	headings := map[string][]string{
		"run":     {crawled, budget, polite, kept, told, shown, policy},
		"doctor":  {crawled, polite, kept},
		"node":    {crawled, budget, polite, kept, shown, policy},
		"plan":    {crawled, budget, told, policy},
		"explain": {crawled, budget, told, policy},
		"serve":   {crawled, budget, polite, kept, shown, policy},
		"demo":    {crawled, budget, kept, shown, policy, results},
		"eval":    {crawled, budget, policy, results},
		"tune":    {crawled, budget, polite, policy, results},
		"survey":  {crawled, results}, "import": {crawled, results},
		"export":    {crawled, kept, results},
		"show-page": {crawled, polite}, "show-robots": {crawled, polite},
		"show-feed": {crawled, polite}, "show-filters": {crawled}, "guard": {polite, shown},
		"check": {crawled}, "checkpoint": {crawled}, "inspect": {crawled}, "sites": {crawled},
		"archive-status": {crawled, kept}, "replay": {kept, shown}, "diff": {kept}, "hint": {told},
		"corpus-build": {crawled, kept}, "corpus-remove": {crawled, kept},
		"corpus-weigh": {crawled, kept, policy}, "corpus-check": {kept}, "corpus-show": {kept},
		"search": {kept}, "frontier": {crawled, shown}, "node-status": {shown},
		"node-hint": {shown}, "node-abandon": {shown}, "fetch": {crawled, results},
		"sat": {results}, "seen": {policy, results},
		"schedule-plan":     {crawled, polite, policy, results},
		"schedule-report":   {crawled, polite, results},
		"schedule-simulate": {crawled, polite, policy, results},
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		var got []string
		for _, h := range headed(c, flagsOf(c.NonInheritedFlags())) {
			if h.title != "Of "+c.Name() {
				got = append(got, h.title)
			}
		}
		if want := headings[config.NameOf(c)]; !slices.Equal(got, want) {
			t.Errorf("%s has flags of %q, want %q", c.CommandPath(), got, want)
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	root := (&Program{stdout: io.Discard, stderr: io.Discard}).rootCommand()
	visit(root)
	flags := func(name string) (all []string) {
		c, _, err := root.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
		return slices.DeleteFunc(all, func(name string) bool { return name == "help" })
	}
	run := flags("run")
	for name, want := range map[string][]string{
		"doctor": strings.Fields("allow-network allow-port allow-private archive ca-file data delay " +
			"documents max-body min-free proxy resolver robots-agent robots-any-host seeds " +
			"timeout user-agent workers"),
		"watch": slices.DeleteFunc(slices.Clone(run),
			func(f string) bool { return f == "watch" }),
		"init":   slices.Sorted(slices.Values(append(slices.Clone(run), "for"))), // it writes them
		"config": run,                                                            // it shows them
	} {
		if got := flags(name); !slices.Equal(got, want) {
			t.Errorf("%s has the flags %q, want %q", name, got, want)
		}
	}
	for call, want := range map[string]string{
		"doctor --budget 5":           "recrawl doctor does not use --budget, a flag of recrawl run",
		"watch --watch a.yaml b.yaml": "unknown flag: --watch",
		"watch test x --data y":       "unknown flag: --data",
		"config eval --workers 3":     "eval has no setting workers",
	} {
		var out, err strings.Builder
		code := Run(t.Context(), strings.Fields(call), &out, &err)
		if code != ExitMisuse || !strings.Contains(err.String(), want) {
			t.Errorf("recrawl %s: exit code %d, %s", call, code, err.String())
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
