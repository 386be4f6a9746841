package extract

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/fetch/written"
)

const (
	mostFile  = 1 << 20 // octets
	mostRules = 1_000
)

// RuleMistake is the error of a file of rules: what is wrong, and where.
type RuleMistake struct{ error }

func (m *RuleMistake) Unwrap() error { return m.error }

// Hint returns where the keys are documented.
func (m *RuleMistake) Hint() string { return "docs/reference/rules.md has each key of a rule" }

// ReadRules parses a file of rules. For "" it returns none. The error is a RuleMistake unless the
// file cannot be read.
func ReadRules(file string) (*Rules, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	set, err := ParseRules(file, text)
	if err != nil {
		return nil, &RuleMistake{err}
	}
	return set, nil
}

// ParseRules reads a file of rules in YAML: a map with the key "rules" and a list of maps with the
// fields of RuleSpec. It returns all errors, with name, line and column.
func ParseRules(name string, file []byte) (*Rules, error) {
	f := &reader{name: name, set: &Rules{byPrefix: map[string]*Rule{}}}
	if len(file) > mostFile {
		return nil, fmt.Errorf("%s has %d octets: rules have %d at most", name, len(file), mostFile)
	}
	document, err := written.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if document == nil {
		return nil, fmt.Errorf("%s is empty: want \"rules:\" and a list below it", name)
	}
	f.document(document)
	if len(f.problems) > 0 {
		return nil, errors.Join(f.problems...)
	}
	f.set.finish()
	return f.set, nil
}

// reader reads nodes, and collects their mistakes.
type reader struct {
	name     string
	set      *Rules
	problems []error
}

func (f *reader) refuse(n *yaml.Node, format string, args ...any) {
	f.problems = append(f.problems, fmt.Errorf("%s:%d:%d: %w",
		f.name, n.Line, n.Column, fmt.Errorf(format, args...)))
}

func (f *reader) document(n *yaml.Node) {
	var list *yaml.Node
	f.fields(n, "a map with the key rules",
		map[string]func(*yaml.Node){"rules": func(n *yaml.Node) { list = n }})
	switch {
	case list == nil:
		if len(f.problems) == 0 {
			f.refuse(n, "there are no rules: want \"rules:\" and a list below it")
		}
	case list.Kind != yaml.SequenceNode:
		f.refuse(list, "rules: want a list of rules, each with \"- prefix:\" at its beginning")
	case len(list.Content) > mostRules:
		f.refuse(list, "there are %d rules: want %d or fewer", len(list.Content), mostRules)
	default:
		for _, n := range list.Content {
			f.rule(n)
		}
	}
}

// fields calls the reader of each key of a map.
func (f *reader) fields(n *yaml.Node, want string, read map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		f.refuse(n, "want %s", want)
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch take := read[key.Value]; {
		case take == nil:
			known := make([]string, 0, len(read))
			for name := range read {
				known = append(known, name)
			}
			slices.Sort(known)
			f.refuse(key, "unknown key %q: the keys are %s",
				short(key.Value), strings.Join(known, ", "))
		case seen[key.Value]:
			f.refuse(key, "%s is there twice", key.Value)
		default:
			seen[key.Value] = true
			take(value)
		}
	}
}

func (f *reader) rule(n *yaml.Node) {
	var s RuleSpec
	at := map[string][]*yaml.Node{} // by key, the nodes of its values
	before := len(f.problems)
	lines := func(key string, into *[]string) func(*yaml.Node) {
		return func(n *yaml.Node) { *into, at[key] = f.texts(key, n) }
	}
	text := func(key string, into *string) func(*yaml.Node) {
		return func(n *yaml.Node) { *into, at[key] = f.text(key, n), []*yaml.Node{n} }
	}
	f.fields(n, "a rule that begins with prefix: and a URL", map[string]func(*yaml.Node){
		"prefix": text("prefix", &s.Prefix), "change": text("change", &s.Part),
		"watch": lines("watch", &s.Watch), "ignore": lines("ignore", &s.Ignore),
		"watch-text":  lines("watch-text", &s.WatchText),
		"ignore-text": lines("ignore-text", &s.IgnoreText),
		"simhash": func(n *yaml.Node) {
			s.SimHash, at["simhash"] = f.number("simhash", n), []*yaml.Node{n}
		},
		"json": func(n *yaml.Node) {
			s.JSON = &JSONRuleSpec{}
			f.fields(n, "watch: or ignore: with a list of paths, or {} for all of a document",
				map[string]func(*yaml.Node){
					"watch":  lines("json.watch", &s.JSON.Watch),
					"ignore": lines("json.ignore", &s.JSON.Ignore)})
		},
	})
	if len(f.problems) > before {
		return
	}
	if s.Prefix == "" || len(s.Prefix) > mostPrefix {
		f.refuse(n, "the rule has no prefix, or one that is too long: want the beginning of an "+
			"address, or \"*\"")
		return
	}
	r := new(Rule)
	err := r.compile(s, func(key string, i int, err error) {
		where := n
		if nodes := at[key]; i < len(nodes) {
			where = nodes[i]
		}
		f.refuse(where, "%s: %w", key, err)
	})
	if err != nil {
		return
	}
	if err := f.set.add(r); err != nil {
		f.refuse(at["prefix"][0], "prefix: %w", err)
	}
}

func (f *reader) text(key string, n *yaml.Node) string {
	if want := written.NoText(n); want != "" {
		f.refuse(n, "%s: %s", key, want)
		return ""
	}
	return n.Value
}

// texts reads one text or a list of them.
func (f *reader) texts(key string, n *yaml.Node) (texts []string, at []*yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		return []string{f.text(key, n)}, []*yaml.Node{n}
	}
	for _, x := range n.Content {
		texts, at = append(texts, f.text(key, x)), append(at, x)
	}
	return texts, at
}

func (f *reader) number(key string, n *yaml.Node) int {
	i, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		f.refuse(n, "%s: want a whole number", key)
	}
	return i
}
