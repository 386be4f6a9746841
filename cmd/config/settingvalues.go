package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// String returns the name of an origin in messages: default, run, file, environment or flag.
func (o Origin) String() string {
	return [...]string{"default", "run", "file", "environment", "flag"}[o]
}

// Value is a setting that was read.
type Value struct {
	Key string `json:"key"` // its name in a file
	// Value is as in a file; for a possible secret it only says that there is one.
	Value    string `json:"value"`
	Default  string `json:"default"`  // as in a file
	Source   string `json:"source"`   // default, run, file, environment or flag
	Variable string `json:"variable"` // its name in the environment
	Help     string `json:"help"`
}

// Values returns the settings of a command, or all for "", in order of declaration.
func (r *Review) Values(command string) []Value {
	values := []Value{}
	for _, x := range r.set.settings {
		if command != "" && !slices.Contains(x.commands, command) {
			continue
		}
		values = append(values, Value{x.key, x.shown(), x.line(x.unset), x.origin.String(),
			r.set.variable(x), x.help})
	}
	return values
}

// Listing is a table of values, with a finding about their origins.
type Listing []Value

// Finding returns how many of the settings somebody gave, and where.
func (l Listing) Finding() string {
	count := map[string]int{}
	for _, v := range l {
		count[v.Source]++
	}
	var given []string
	for o := FromFlag; o > FromDefault; o-- {
		if n := count[o.String()]; n > 0 {
			given = append(given, fmt.Sprintf("%d from %s",
				n, [...]string{FromRun: "the last run", FromFile: "the file",
					FromEnvironment: "the environment", FromFlag: "flags"}[o]))
		}
	}
	of := words.Plural(len(l), "setting")
	if len(given) == 0 {
		return fmt.Sprintf("All %s have their defaults.", of)
	}
	return fmt.Sprintf("Of %s, %s; the others have their defaults.", of, strings.Join(given, ", "))
}

// Tables returns the settings, those that somebody gave first.
func (l Listing) Tables() []report.Table {
	t := report.Table{Header: []string{"setting", "value", "source"}}
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Value) int { return cmp.Compare(rank(b), rank(a)) })
	for _, v := range sorted {
		t.Rows = append(t.Rows, []string{v.Key, v.Value, v.Source})
	}
	return []report.Table{t}
}

func rank(v Value) int {
	if v.Source == FromDefault.String() {
		return 0
	}
	return 1
}

// shown returns the value as in a file. Objects of a list may have secrets: only their number is
// shown.
func (x *setting) shown() string {
	if x.isList() {
		return words.Plural(x.field.Len(), "object")
	}
	if x.secret && !x.field.IsZero() {
		return "(set)"
	}
	return x.inFile()
}

// inFile returns the value as in a file.
func (x *setting) inFile() string { return x.line(x.field.Interface()) }

// line returns a value on one line of YAML. Values of these kinds can always be written.
func (x *setting) line(value any) string {
	if x.isList() {
		return "[]"
	}
	if span, ok := value.(time.Duration); ok {
		return words.Duration(span)
	}
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		panic(fmt.Sprintf("setting: %s: %v", x.key, err))
	}
	node.Style |= yaml.FlowStyle
	for _, scalar := range append(node.Content, &node) {
		if strings.ContainsFunc(scalar.Value, func(r rune) bool { return !unicode.IsPrint(r) }) {
			scalar.Style = yaml.DoubleQuotedStyle // on one line
		}
	}
	text, err := yaml.Marshal(&node)
	if err != nil {
		panic(fmt.Sprintf("setting: %s: %v", x.key, err))
	}
	return strings.TrimSuffix(string(text), "\n")
}

// fileWidth is the width of comments in a file of Template.
const fileWidth = 78

// Template returns a file with the settings of a command, in YAML: each with its help and default.
// Required ones come first; required maps their keys to placeholders. A value that somebody gave is
// set. The others follow a #, and the default holds until it is removed. Comments have a blank
// after the #, settings have none.
func (r *Review) Template(cmd *cobra.Command, head string, required map[string]string) string {
	var b strings.Builder
	comment(&b, head)
	group := ""
	write := func(x *setting) {
		if above, _, ok := strings.Cut(x.key, "."); ok && above != group {
			group = above
			fmt.Fprintf(&b, "\n#%s:", group)
		}
		b.WriteString("\n")
		comment(&b, x.help+x.possible())
		indent, mark := "", "#"
		if group != "" {
			indent = "  "
		}
		value, must := required[x.key]
		switch {
		case x.origin != FromDefault:
			mark, value = "", x.inFile()
		case must:
			mark = ""
		default:
			value = x.line(x.unset)
		}
		fmt.Fprintf(&b, "%s%s%s: %s\n", mark, indent, x.flag(), value)
	}
	isRequired := func(x *setting) bool { _, ok := required[x.key]; return ok }
	for _, first := range []bool{true, false} {
		for _, x := range r.set.settings {
			if x.isOf(cmd) && isRequired(x) == first {
				write(x)
			}
		}
	}
	return b.String()
}

// possible describes the possible values, if the help does not.
func (x *setting) possible() string {
	low, high, isSpan := strings.Cut(x.want, " to ")
	if !isSpan || strings.Contains(low, " ") || strings.Contains(x.help, high) {
		return ""
	}
	return " (" + x.want + ")"
}

// comment writes a text in lines after "# ".
func comment(b *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := "#"
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+1+len(word) > fileWidth && line != "#" {
				b.WriteString(line + "\n")
				line = "#"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
}
