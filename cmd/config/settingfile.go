package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/fetch/written"
)

// parse reads a file of settings as nodes with line numbers. Nodes of TOML, where no key is
// repeated or without a value, have none. A file with another extension has no nodes: viper refuses
// it.
func parse(file string) (*yaml.Node, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".yaml", ".yml":
		return written.Parse(text)
	case ".json":
		return written.ParseJSON(text)
	case ".toml":
		v := viper.New()
		v.SetConfigFile(file)
		if err := v.ReadInConfig(); err != nil {
			return nil, err
		}
		n := new(yaml.Node)
		return n, n.Encode(v.AllSettings())
	}
	return nil, nil
}

// checkGroup checks the kinds of settings in a file whose keys begin with a prefix, in any case.
// Viper would read a number as nanoseconds, and a missing value as the default.
func (s *Set) checkGroup(prefix string, n *yaml.Node, at map[string]int) (problems []error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return []error{written.Refused(strings.TrimSuffix(prefix, "."), n,
			"want keys, each with a value")}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		key := prefix + strings.ToLower(name.Value)
		if line, twice := at[key]; twice {
			problems = append(problems,
				written.Refused(key, name, "it is there twice, also in line %d", line))
			continue
		}
		at[key] = name.Line
		if x := s.lookUp(key); x != nil {
			wrong := x.check(value)
			x.bad = len(wrong) > 0
			problems = append(problems, wrong...)
		} else if s.isGroup(key) {
			problems = append(problems, s.checkGroup(key+".", value, at)...)
		}
	}
	return problems
}

// isGroup reports whether settings have keys below this one.
func (s *Set) isGroup(key string) bool {
	return slices.ContainsFunc(s.settings, func(x *setting) bool {
		return strings.HasPrefix(x.key, key+".")
	})
}

// check compares the value in a file with the kind of the setting.
func (x *setting) check(n *yaml.Node) (problems []error) {
	isList := x.field.Kind() == reflect.Slice
	if isList && !x.isList() && n.Kind == yaml.ScalarNode { // one value, or several with commas
		n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: n.Line,
			Content: x.split(n)}
	}
	if x.unit == "" || n.Kind != yaml.SequenceNode {
		return written.Check(x.key, n, x.field.Type())
	}
	for _, value := range n.Content {
		isNumber := value.Kind == yaml.ScalarNode &&
			(value.Tag == "!!int" || value.Tag == "!!float")
		switch {
		case isNumber && x.unit != "none":
			problems = append(problems, written.Refused(x.key, value,
				"%s has no unit: write %[1]s%s", value.Value, x.unit))
		case !isNumber:
			problems = append(problems, written.Check(x.key, value, x.field.Type().Elem())...)
		}
	}
	return problems
}

// split returns a value as the list that viper makes of it: a text is split at commas.
func (x *setting) split(n *yaml.Node) (list []*yaml.Node) {
	if n.Tag != "!!str" {
		return []*yaml.Node{n}
	}
	for text := range strings.SplitSeq(n.Value, ",") {
		part := *n
		part.Value = text
		list = append(list, &part)
	}
	return list
}

// literal refuses a text that a shell or another program would replace, and this one uses
// unchanged.
func (x *setting) literal(variable string) error {
	var texts []string
	switch value := x.field.Interface().(type) {
	case string:
		texts = []string{value}
	case []string:
		texts = value
	}
	for _, text := range texts {
		if wrong := written.Unreplaced(text, x.path != ""); wrong != "" {
			return fmt.Errorf("%s: %s: %s, or set %s in the environment", x.key, text, wrong,
				variable)
		}
	}
	return nil
}
