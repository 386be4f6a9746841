package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// Given returns, as a file of YAML, those settings of a command that are not at their default and
// that another of the commands also has. It leaves out what may be secret, and makes paths
// absolute. Read takes them in where nothing else is given (Set.Earlier).
func (r *Review) Given(command string, others []string, without ...string) ([]byte, error) {
	given := map[string]any{}
	for _, x := range r.set.settings {
		if slices.Contains(without, x.key) {
			continue
		}
		has := func(name string) bool { return slices.Contains(x.commands, name) }
		none := x.field.Kind() == reflect.Slice && x.field.Len() == 0
		if none || reflect.DeepEqual(x.field.Interface(), x.unset) || x.secret || x.isList() ||
			!has(command) || !slices.ContainsFunc(others, has) {
			continue
		}
		value := x.field.Interface()
		if path, ok := value.(string); ok && x.path != "" && path != "" {
			whole, err := filepath.Abs(path)
			if err != nil {
				return nil, fmt.Errorf("find %s of %s: %w", path, x.key, err)
			}
			value = whole
		}
		if span, ok := value.(fmt.Stringer); ok {
			value = span.String()
		}
		given[x.key] = value
	}
	return yaml.Marshal(given)
}

// readEarlier fills the settings that nobody gave by a file that Given made. What cannot be read
// stays at its default.
func (s *Set) readEarlier(file string) error {
	v := viper.New()
	v.SetConfigFile(file)
	if err := v.ReadInConfig(); err != nil {
		return fmt.Errorf("read settings of the last run: %w", err)
	}
	for _, x := range s.settings {
		if x.origin != FromDefault || !v.InConfig(x.key) {
			continue
		}
		if err := x.fill(v); err != nil {
			return fmt.Errorf("settings of the last run, %s: %w", file, err)
		}
		x.origin = FromRun
	}
	return nil
}
