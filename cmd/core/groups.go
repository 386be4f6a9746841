package core

import (
	"fmt"
	"os"

	"github.com/recrawl/recrawl/eval/papers"
)

// ReadGroups reads a file with groups of servers; nil if none is named.
func ReadGroups(file string) (papers.Groups, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	defer f.Close()
	groups, err := papers.ReadGroups(f, file)
	if err != nil {
		return nil, UsageError(fmt.Errorf("read groups: %w", err),
			"one server and its group a line, blanks or tabs between: www.example.org OR")
	}
	return groups, nil
}
