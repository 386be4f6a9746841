package core

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/sitegraph"
)

// nearServer returns a hint for a misspelt name, a part of a name, or the server of a URL; a store
// may have thousands.
func nearServer(server string, known []string) string {
	const most = 5
	word := strings.ToLower(server)
	if name := sitegraph.ServerName(word); name != "" {
		word = name
	}
	word = strings.TrimSuffix(word, "/")
	if len(known) == 0 {
		return "no server is known there"
	}
	distance := func(name string) int {
		switch {
		case name == word:
			return 0
		case len(word) > 2 && strings.Contains(name, word), len(name) > 2 &&
			strings.Contains(word, name):
			return 1
		}
		return config.Distance(word, name)
	}
	sorted := slices.Clone(known)
	slices.SortFunc(sorted, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), strings.Compare(a, b))
	})
	var near []string
	for _, name := range sorted[:min(most, len(sorted))] {
		if distance(name) <= max(2, len(word)/4) {
			near = append(near, fmt.Sprintf("%q", name))
		}
	}
	switch {
	case len(near) > 0:
		return "did you mean " + strings.Join(near, " or ") + "?"
	case len(known) == 1:
		return fmt.Sprintf("the only server there is %s", known[0])
	case len(known) <= most:
		return "known are: " + strings.Join(sorted, ", ")
	}
	return fmt.Sprintf("known are, among %d: %s", len(known), strings.Join(sorted[:most], ", "))
}
