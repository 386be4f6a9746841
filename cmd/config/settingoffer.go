package config

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// offer completes a flag in a shell: with names, folders, files of some extensions, or nothing for
// a number or text. The tags oneof, names and path decide.
func (x *setting) offer(cmd *cobra.Command) {
	complete := cobra.NoFileCompletions
	switch {
	case len(x.names) > 0:
		complete = x.offerNames
	case x.path == "directory":
		complete = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	case x.path == "any":
		complete = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		}
	case x.path != "":
		endings := strings.Fields(x.path)
		complete = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return endings, cobra.ShellCompDirectiveFilterFileExt
		}
	}
	// A repeated flag was refused before.
	_ = cmd.RegisterFlagCompletionFunc(x.flag(), complete)
}

// offerNames completes a value with names. In a list it completes the last one, and leaves out
// those already there.
func (x *setting) offerNames(_ *cobra.Command, _ []string, begun string) (
	[]string, cobra.ShellCompDirective) {
	before, after := "", cobra.ShellCompDirectiveNoFileComp
	if _, isList := x.field.Interface().([]string); isList {
		before, after = begun[:strings.LastIndex(begun, ",")+1],
			after|cobra.ShellCompDirectiveNoSpace
	}
	var offered []string
	for _, name := range x.names {
		if name = before + name; strings.HasPrefix(name, begun) &&
			!slices.Contains(strings.Split(before, ","), name[len(before):]) {
			offered = append(offered, name)
		}
	}
	return offered, after
}
