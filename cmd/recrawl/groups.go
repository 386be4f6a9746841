package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/survey"
)

// GroupConfig says how servers are put into groups.
type GroupConfig struct {
	Group   string // file
	GroupBy string // suffix, server or none
}

// read reads the group file; nil if none is asked for.
func (c *GroupConfig) read() (map[string]string, error) {
	if c.Group == "" {
		return nil, nil
	}
	f, err := os.Open(c.Group)
	if err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	defer f.Close()
	groups, err := survey.ReadGroups(f, c.Group)
	if err != nil {
		return nil, usageError{fmt.Errorf("read groups: %w", err), "one server and its group a line, blanks or tabs between: www.example.org OR"}
	}
	return groups, nil
}

// of says which group a server is in, and what of a group file does not fit.
func (c *GroupConfig) of(groups map[string]string, servers []*history.Server) (groupOf func(string) string, warnings []string) {
	warnings = []string{}
	switch {
	case groups != nil:
	case c.GroupBy == "server":
		return func(server string) string { return server }, warnings
	case c.GroupBy == "none":
		return func(string) string { return "all" }, warnings
	default:
		return survey.BySuffix, warnings
	}
	var names []string
	missing := 0
	for _, s := range servers {
		names = append(names, s.Name)
		if groups[s.Name] == "" {
			missing++
		}
	}
	for _, server := range slices.Sorted(maps.Keys(groups)) {
		if !slices.Contains(names, server) {
			warnings = append(warnings, fmt.Sprintf("%s: no history is of server %s", c.Group, server))
		}
	}
	if missing > 0 {
		warnings = append(warnings, fmt.Sprintf("%s names no group for %d of %d servers; they are group %q", c.Group, missing, len(servers), survey.Ungrouped))
	}
	return func(server string) string {
		if g, ok := groups[server]; ok {
			return g
		}
		return survey.Ungrouped
	}, warnings
}
