package core

import "github.com/spf13/cobra"

// commandGroups are the headings of the commands in the help of the root, in this order. A command
// in none of them comes last, under a separate heading.
var commandGroups = []struct {
	title    string
	commands []string
}{
	{"Plan and run:", []string{"demo", "run", "node", "serve", "hint", "watch", "guard",
		"frontier"}},
	{"Look inside:", []string{"plan", "explain", "sites", "inspect", "show", "check",
		"checkpoint"}},
	{"Measure and tune:", []string{"eval", "tune", "schedule", "survey", "bench",
		"policies"}},
	{"Archive, import and export:", []string{"import", "archive", "export", "replay", "diff",
		"corpus",
		"search"}},
	{"Set up:", []string{"init", "config", "doctor", "completion"}},
}

// groupCommands puts the commands below the root under their headings.
func groupCommands(root *cobra.Command) {
	for _, g := range commandGroups {
		id := ""
		for _, name := range g.commands {
			for _, c := range root.Commands() {
				if c.Name() != name {
					continue
				}
				if id == "" {
					id = g.title
					root.AddGroup(&cobra.Group{ID: id, Title: g.title})
				}
				c.GroupID = id
			}
		}
	}
}
