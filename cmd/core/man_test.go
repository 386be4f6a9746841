package core

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func tree() *cobra.Command {
	root := &cobra.Command{Use: "recrawl", Short: "Find -- it"}
	root.PersistentFlags().Bool("json", false, "as JSON")
	bench := &cobra.Command{Use: "bench", Short: "Measure", Run: func(*cobra.Command, []string) {},
		Long:    ".first\nand more\n\n  kept   as it is\nlast",
		Example: "  recrawl bench\n  recrawl bench --rounds 5"}
	bench.Flags().IntP("rounds", "r", 3, "how many, \\ times")
	bench.Flags().String("empty", "", "nothing by default")
	hidden := &cobra.Command{Use: "secret", Hidden: true, Run: func(*cobra.Command, []string) {}}
	root.AddCommand(bench, hidden)
	return root
}

// TestManPage checks that a page has all parts, and that no text is read as a macro.
func TestManPage(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // pages are replaced, with equal bytes
		if n, err := writeMan(tree(), "v1.2.3", filepath.Join(dir, "man1")); err != nil || n != 2 {
			t.Fatalf("%d pages, error %v", n, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "man1", "recrawl-bench.1"))
	if err != nil {
		t.Fatal(err)
	}
	want := `.TH "RECRAWL\-BENCH" "1" "" "recrawl v1.2.3" "recrawl"
.SH NAME
recrawl\-bench \- Measure
.SH SYNOPSIS
.B recrawl bench [flags]
.SH DESCRIPTION
\&.first
and more
.PP
.nf
  kept   as it is
.fi
last
.SH OPTIONS
.TP
\fB\-\-empty\fR \fIstring\fR
nothing by default
.TP
\fB\-r, \-\-rounds\fR \fIint\fR
how many, \e times (default 3)
.SH OPTIONS OF ALL COMMANDS
.TP
\fB\-\-json\fR
as JSON
.SH EXAMPLES
.nf
recrawl bench
recrawl bench \-\-rounds 5
.fi
.SH SEE ALSO
.BR recrawl (1)
`
	if string(text) != want {
		t.Errorf("page\n%s\nwant\n%s", text, want)
	}
	root, err := os.ReadFile(filepath.Join(dir, "man1", "recrawl.1"))
	if err != nil || !strings.Contains(string(root),
		".SH COMMANDS\n.TP\n.BR recrawl\\-bench (1)\nMeasure\n.SH") ||
		strings.Contains(string(root), "secret") {
		t.Errorf("root %s, error %v", root, err)
	}
	if _, err := writeMan(tree(), "", filepath.Join(dir, "man1", "recrawl.1")); err == nil {
		t.Error("pages are written into a file")
	}
}

// TestGroups checks that each command has at most one heading, and that a heading without commands
// is left out.
func TestGroups(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range commandGroups {
		for _, name := range g.commands {
			if seen[name] {
				t.Errorf("%s has two headings", name)
			}
			seen[name] = true
		}
	}
	files, err := manualPages.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		below := strings.Contains(name, "-")
		if apart := []string{"recrawl", "help", "man", "version"}; !seen[name] && !below &&
			!slices.Contains(apart, name) {
			t.Errorf("%s has no heading", name)
		}
	}
	root := tree()
	groupCommands(root)
	if len(root.Groups()) != 1 || root.Commands()[0].GroupID != "Measure and tune:" {
		t.Errorf("groups %v, bench is in %q", root.Groups(), root.Commands()[0].GroupID)
	}
}
