package core

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/recrawl/recrawl/cmd/show/report"
)

// helpAll is the value of --help-all, which ends the reading of a command line and requests the
// whole help.
type helpAll struct{ asked *bool }

func (h helpAll) String() string   { return "false" }
func (h helpAll) Type() string     { return "bool" }
func (h helpAll) IsBoolFlag() bool { return true }

// Set returns pflag.ErrHelp, so that the command does not run.
func (h helpAll) Set(string) error {
	*h.asked = true
	return pflag.ErrHelp
}

// help writes the help of a command to standard output, at most 100 columns wide: its description,
// its call, and its everyday flags with the names of the others. After --help-all it has all flags
// under headings.
func (p *Program) help(c *cobra.Command, _ []string) {
	w := p.screen()
	w.Width = min(cmp.Or(w.Width, report.UsualWidth), report.UsualWidth)
	for _, paragraph := range reflowed(cmp.Or(c.Long, c.Short)) {
		if isProse(paragraph) {
			paragraph = report.Wrap(paragraph, w.Width)
		}
		fmt.Fprintln(w, hanging(paragraph, w.Width))
	}
	fmt.Fprintf(w, "\nUsage:\n%s\n", indented(report.Wrap(c.UseLine(), w.Width-4)))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n", c.CommandPath())
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n")
		for call := range strings.SplitSeq(c.Example, "\n") {
			fmt.Fprintln(w, brokenCall(call, w.Width))
		}
	}
	helpCommands(w, c)
	help, local := chosen(flagsOf(c.NonInheritedFlags()), []string{"help"})
	if all, often := p.wholeHelp, everydayFlags(manualPageOf(c)); all && len(often) > 0 {
		helpHeadings(w, c, local)
	} else {
		helpEveryday(w, c, local, often)
	}
	helpFlags(w, "Flags of all commands", append(help, flagsOf(c.InheritedFlags())...))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help says more of a command.\n", c.CommandPath())
	}
	_ = w.Flush() // standard output is closed: nobody reads the help
}

// reflowed returns the lines of a text with the lines of each paragraph joined. Indented lines and
// columns stay unchanged.
func reflowed(text string) (lines []string) {
	open := false // the last line may continue
	for line := range strings.SplitSeq(text, "\n") {
		prose := isProse(line)
		if prose && open {
			lines[len(lines)-1] += " " + line
		} else {
			lines = append(lines, line)
		}
		open = prose
	}
	return lines
}

func isProse(line string) bool {
	return line != "" && !strings.HasPrefix(line, " ") && !strings.Contains(line, "   ")
}

// hanging breaks a line with columns at a width. Continuations are indented to its last column.
func hanging(line string, width int) string {
	begin := len(line) - len(strings.TrimLeft(line, " "))
	if at := strings.LastIndex(line, "  "); at >= begin {
		begin = at + 2
	}
	if len(line) <= width || strings.Contains(line, "\n") || begin >= width {
		return line
	}
	at := strings.LastIndex(line[:width+1], " ")
	if at <= begin {
		return line
	}
	return line[:at] + "\n" + hanging(strings.Repeat(" ", begin)+line[at+1:], width)
}

// indented returns lines indented by two blanks, those after the first by four.
func indented(lines string) string { return "  " + strings.ReplaceAll(lines, "\n", "\n    ") }

// brokenCall breaks a call at a width, in the syntax of a shell, before a flag or the next program.
func brokenCall(call string, width int) string {
	begin := ""
	for len(call) > width {
		fits := call[:width-1]
		at := max(strings.LastIndex(fits, " --"), strings.LastIndex(fits, " | "))
		if strings.TrimSpace(call[:max(at, 0)]) == "" {
			break
		}
		begin, call = begin+call[:at]+" \\\n", "    "+call[at+1:]
	}
	return begin + call
}

// helpCommands lists the commands below one under their headings.
func helpCommands(w io.Writer, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	list := func(title, group string) {
		first := true
		for _, below := range c.Commands() {
			if below.GroupID != group || !below.IsAvailableCommand() && below.Name() != "help" {
				continue
			}
			if first {
				fmt.Fprintf(w, "\n%s\n", title)
			}
			first = false
			fmt.Fprintf(w, "  %-11s %s\n", below.Name(), below.Short)
		}
	}
	for _, g := range c.Groups() {
		list(g.Title, g.ID)
	}
	title := "Commands:"
	if len(c.Groups()) > 0 {
		title = "Others:"
	}
	list(title, "")
}

// flagsOf returns the visible flags of a set, by name.
func flagsOf(set *pflag.FlagSet) (flags []*pflag.Flag) {
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	})
	return flags
}

// helpFlags explains flags under a title, in their order.
func helpFlags(w *report.Screen, title string, flags []*pflag.Flag) {
	if len(flags) == 0 {
		return
	}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, f := range flags {
		set.AddFlag(f)
	}
	fmt.Fprintf(w, "\n%s:\n%s", title, set.FlagUsagesWrapped(w.Width))
}

// helpEveryday explains the everyday flags, and names the others under their headings.
func helpEveryday(w *report.Screen, c *cobra.Command, flags []*pflag.Flag, often []string) {
	if len(often) == 0 {
		helpFlags(w, "Flags", flags)
		return
	}
	shown, rest := chosen(flags, often)
	helpFlags(w, "Flags", shown)
	if page := manualPageOf(c); slices.Contains(flagsAsRun, page) {
		fmt.Fprintf(w, "\n%s also takes the other flags of recrawl run; %s --help-all explains "+
			"them.\n", c.Name(), c.CommandPath())
		return
	}
	fmt.Fprintf(w, "\nMore flags, which %s --help-all explains:\n", c.CommandPath())
	for _, h := range headed(c, rest) {
		names := ""
		for _, f := range h.flags {
			names += " --" + f.Name
		}
		fmt.Fprintln(w, indented(report.Wrap(h.title+":"+names, w.Width-4)))
	}
}

// helpHeadings explains all flags under their headings.
func helpHeadings(w *report.Screen, c *cobra.Command, flags []*pflag.Flag) {
	for _, h := range headed(c, flags) {
		helpFlags(w, h.title, h.flags)
	}
}

// chosen splits flags into the named ones, in the order of the names, and the others.
func chosen(flags []*pflag.Flag, names []string) (named, others []*pflag.Flag) {
	for _, name := range names {
		for _, f := range flags {
			if f.Name == name {
				named = append(named, f)
			}
		}
	}
	for _, f := range flags {
		if !slices.Contains(names, f.Name) {
			others = append(others, f)
		}
	}
	return named, others
}

// heading is a heading with flags of a command.
type heading struct {
	title string
	flags []*pflag.Flag
}

// headed groups flags under their headings. Those of the command alone come first.
func headed(c *cobra.Command, flags []*pflag.Flag) []heading {
	var all []heading
	for _, h := range flagHeadings {
		var under []*pflag.Flag
		if under, flags = chosen(flags, h.Flags); len(under) > 0 {
			all = append(all, heading{h.Title, under})
		}
	}
	if len(flags) > 0 {
		all = slices.Insert(all, 0, heading{"Of " + c.Name(), flags})
	}
	return all
}
