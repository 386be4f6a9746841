package setting

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/fetch/written"
)

// parse reads a file of settings as nodes, which know lines. Of TOML, where no key is there twice or
// without a value, they know none. A file with another ending has no nodes: viper refuses it.
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

// checkGroup holds the settings of a file whose keys begin with a prefix to their kinds. Viper
// would take a number for nanoseconds, and nothing for the default. Keys are in any case.
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
			problems = append(problems, x.check(value)...)
		} else if prefix == "" {
			problems = append(problems, s.checkGroup(key+".", value, at)...)
		}
	}
	return problems
}

// check holds what a file says to the kind of the setting.
func (x *setting) check(n *yaml.Node) []error {
	if x.unit != "" && n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float") {
		return []error{written.Refused(x.key, n, "%s has no unit: write %[1]s%s", n.Value, x.unit)}
	}
	return written.Check(x.key, n, x.field.Type())
}

// literal refuses what a shell or another program would replace, and this one takes as it stands.
func (x *setting) literal(variable string) error {
	var texts []string
	switch value := x.field.Interface().(type) {
	case string:
		texts = []string{value}
	case []string:
		texts = value
	}
	for _, text := range texts {
		if strings.Contains(text, "${") {
			return fmt.Errorf("%s: %s: variables are not replaced here: write the value, or set "+
				"%s in the environment", x.key, text, variable)
		}
		if x.path != "" && (text == "~" || strings.HasPrefix(text, "~/")) {
			return fmt.Errorf("%s: %s: ~ is not replaced here: write the whole path", x.key, text)
		}
	}
	return nil
}
