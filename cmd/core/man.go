package core

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writeMan writes a page for man(1) of the root and of every listed command into a directory, which
// it makes if necessary, and returns their number. Equal commands and version give equal bytes,
// because pages have no date. Pages are in section 1: recrawl-bench-sat.1.
func writeMan(root *cobra.Command, version, dir string) (pages int, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	for _, c := range listedCommands(root) {
		file := filepath.Join(dir, manName(c)+".1")
		if err := os.WriteFile(file, []byte(manPage(c, version)), 0o666); err != nil {
			return pages, err
		}
		pages++
	}
	return pages, nil
}

// listedCommands returns a command and the visible ones below it.
func listedCommands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		if !below.Hidden {
			all = append(all, listedCommands(below)...)
		}
	}
	return all
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns one page in the macros of man(7).
func manPage(c *cobra.Command, version string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH "%s" "1" "" "recrawl %s" "recrawl"`, strings.ToUpper(roff(manName(c))), roff(version))
	line(".SH NAME\n%s \\- %s", roff(manName(c)), roff(c.Short))
	line(".SH SYNOPSIS\n.B %s", roff(c.UseLine()))
	if c.Long != "" {
		line(".SH DESCRIPTION")
		manText(&b, c.Long)
	}
	if below := listedCommands(c)[1:]; len(below) > 0 {
		line(".SH COMMANDS")
		for _, x := range below {
			line(".TP\n.BR %s (1)\n%s", roff(manName(x)), roff(x.Short))
		}
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		line(".SH EXAMPLES\n.nf")
		for example := range strings.SplitSeq(c.Example, "\n") {
			line("%s", roff(strings.TrimSpace(example)))
		}
		line(".fi")
	}
	if c.HasParent() {
		line(".SH SEE ALSO\n.BR %s (1)", roff(manName(c.Parent())))
	}
	return b.String()
}

// manText writes paragraphs. Indented lines stay unchanged.
func manText(b *strings.Builder, text string) {
	kept := false
	for line := range strings.SplitSeq(text, "\n") {
		keep := strings.Contains(strings.TrimRight(line, " "), "   ") ||
			strings.HasPrefix(line, "  ")
		if keep != kept && line != "" {
			fmt.Fprintln(b, map[bool]string{true: ".nf", false: ".fi"}[keep])
			kept = keep
		}
		if line == "" {
			line = ".PP"
		} else {
			line = roff(line)
		}
		fmt.Fprintln(b, line)
	}
	if kept {
		fmt.Fprintln(b, ".fi")
	}
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			kind = ` \fI` + roff(kind) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR%s\n%s\n", roff(name), kind, roff(usage+ofDefault(f)))
	})
}

// ofDefault returns the default of a flag in words, if there is one.
func ofDefault(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
		return ""
	}
	return " (default " + f.DefValue + ")"
}

// roff escapes a text for the formatter.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
