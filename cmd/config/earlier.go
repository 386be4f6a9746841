package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// programsKey is the key in a file of Given with the settings that named a program.
const programsKey = "programs-left-out"

// Given returns the settings of a command as YAML, for other commands that read the file by
// Set.Earlier. It has settings with other values than their defaults that another command also has,
// with absolute paths. It leaves out secrets, the keys of Set.NotEarlier, and programs: a directory
// may come from a stranger, whose programs must not start here.
func (r *Review) Given(command string, others []string) ([]byte, error) {
	given := map[string]any{}
	var programs []string
	for _, x := range r.set.settings {
		if slices.Contains(r.set.NotEarlier, x.key) {
			continue
		}
		has := func(name string) bool { return slices.Contains(x.commands, name) }
		none := x.field.Kind() == reflect.Slice && x.field.Len() == 0
		if none || reflect.DeepEqual(x.field.Interface(), x.unset) || x.secret || x.isList() ||
			!has(command) || !slices.ContainsFunc(others, has) {
			continue
		}
		if x.namesProgram() {
			programs = append(programs, x.key)
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
		if span, ok := value.(time.Duration); ok {
			value = words.Duration(span)
		}
		given[x.key] = value
	}
	if len(programs) > 0 {
		given[programsKey] = programs
	}
	return yaml.Marshal(given)
}

// namesProgram reports whether the value, or one in a list, is a policy program.
func (x *setting) namesProgram() bool {
	switch value := x.field.Interface().(type) {
	case string:
		return policy.IsProgram(value)
	case []string:
		return slices.ContainsFunc(value, policy.IsProgram)
	}
	return false
}

// readEarlier sets the settings that nobody gave from a file of Given. It never sets a program,
// even if the file names one, and returns the keys of such settings. After an error all these
// settings have their defaults.
func (s *Set) readEarlier(file string) (programs []string, err error) {
	v := viper.New()
	v.SetConfigFile(file)
	if err := v.ReadInConfig(); err != nil {
		return nil, fmt.Errorf("read settings of the last run: %w", err)
	}
	listed := v.GetStringSlice(programsKey)
	var filled []*setting
	for _, x := range s.settings {
		if x.origin != FromDefault || slices.Contains(s.NotEarlier, x.key) {
			continue
		}
		named := slices.Contains(listed, x.key)
		if v.InConfig(x.key) {
			err := x.fill(v)
			if err != nil {
				for _, x := range filled {
					x.reset()
				}
				return nil, fmt.Errorf("settings of the last run, %s: %w", file, err)
			}
			x.origin, filled = FromRun, append(filled, x)
			if x.namesProgram() {
				x.reset()
				named = true
			}
		}
		if named {
			programs = append(programs, x.key)
		}
	}
	return programs, nil
}

// reset sets the field to its default.
func (x *setting) reset() {
	x.field.Set(reflect.ValueOf(x.unset))
	x.origin = FromDefault
}
