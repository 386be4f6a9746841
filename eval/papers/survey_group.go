package papers

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/eval/history"
)

// Ungrouped is the group of servers that a group file does not name.
const Ungrouped = "ungrouped"

// secondLevel are names under which countries sort registrations, for example ac.jp or co.uk.
var secondLevel = strings.Fields(
	"ac ad co com ed edu gen go gob gouv gov gr ind lg ltd me mil ne net nom or org plc sch",
)

// BySuffix returns the end of a server's name: its last label, and also the one before if a country
// has kinds of domains (co.jp). IP addresses are in the group "address".
func BySuffix(server string) string {
	if strings.HasPrefix(server, "[") {
		return "address"
	}
	host, _, _ := strings.Cut(server, ":")
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	n := len(labels)
	if strings.Trim(labels[n-1], "0123456789") == "" { // no domain ends in a number: WHATWG URL 3.5
		return "address"
	}
	if n > 2 && len(labels[n-1]) == 2 && slices.Contains(secondLevel, labels[n-2]) {
		return labels[n-2] + "." + labels[n-1]
	}
	return labels[n-1]
}

// Grouping returns how servers are grouped without a group file: by suffix, by server, or for
// "none" all in one group. It returns false for any other name.
func Grouping(name string) (groupOf func(server string) string, ok bool) {
	switch name {
	case "suffix":
		return BySuffix, true
	case "server":
		return func(server string) string { return server }, true
	case "none":
		return func(string) string { return "all" }, true
	}
	return nil, false
}

// Groups are the groups of servers in a group file.
type Groups map[string]string

// Of returns the group of a server.
func (g Groups) Of(server string) string {
	if group, ok := g[server]; ok {
		return group
	}
	return Ungrouped
}

// ByFile groups servers by the groups of a file, and returns warnings about mismatches with the
// servers. Without groups (nil) it uses Grouping with the name by.
func (g Groups) ByFile(file, by string, servers []*history.Server) (
	groupOf func(string) string, unfit []string) {
	if g == nil {
		groupOf, _ = Grouping(by)
		return groupOf, []string{}
	}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return g.Of, append([]string{}, g.Unfit(file, names)...)
}

// Unfit returns warnings about mismatches between the groups of a file and servers.
func (g Groups) Unfit(file string, servers []string) (warnings []string) {
	for _, server := range slices.Sorted(maps.Keys(g)) {
		if !slices.Contains(servers, server) {
			warnings = append(warnings, fmt.Sprintf("%s: no history is of server %s", file, server))
		}
	}
	missing := 0
	for _, server := range servers {
		if g[server] == "" {
			missing++
		}
	}
	if missing > 0 {
		warnings = append(warnings, fmt.Sprintf(
			"%s names no group for %d of %d servers; they are group %q",
			file, missing, len(servers), Ungrouped,
		))
	}
	return warnings
}

// ReadGroups reads lines "server group", with blanks or tabs between; the group may contain blanks.
// It skips empty lines and those that begin with #. Errors begin with name:line.
func ReadGroups(r io.Reader, name string) (Groups, error) {
	groups := Groups{}
	lines := bufio.NewScanner(r)
	n := 0
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", name, n, fmt.Sprintf(format, args...))
	}
	for lines.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		i := strings.IndexAny(line, " \t")
		if i < 0 {
			return nil, bad("%q has no group", clip(line))
		}
		server, group := strings.ToLower(line[:i]), strings.TrimSpace(line[i:])
		if strings.ContainsRune(server, '/') {
			return nil, bad("%q is an address, not a server", clip(server))
		}
		if other, ok := groups[server]; ok && other != group {
			return nil, bad("%s is in group %q and in %q", server, clip(other), clip(group))
		}
		groups[server] = group
	}
	if err := lines.Err(); err != nil {
		n++
		return nil, bad("%v", err)
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s: no line names a server and its group", name)
	}
	return groups, nil
}

// clip keeps messages short.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
