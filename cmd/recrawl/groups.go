package main

import (
	"fmt"
	"os"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/survey"
)

// GroupConfig says how servers are put into groups.
type GroupConfig struct {
	Group   string // file
	GroupBy string // suffix, server or none
}

// read reads the group file; nil if none is asked for.
func (c *GroupConfig) read() (survey.Groups, error) {
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
		return nil, usageError{
			fmt.Errorf("read groups: %w", err),
			"one server and its group a line, blanks or tabs between: www.example.org OR",
		}
	}
	return groups, nil
}

// of says which group a server is in, and what of a group file does not fit.
func (c *GroupConfig) of(
	groups survey.Groups,
	servers []*history.Server,
) (groupOf func(string) string, warnings []string) {
	if groups == nil {
		groupOf, _ = survey.Grouping(c.GroupBy)
		return groupOf, []string{}
	}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return groups.Of, append([]string{}, groups.Unfit(c.Group, names)...)
}
