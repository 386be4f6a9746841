package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/recrawl/recrawl/fetch/written"
)

// Origin is the origin of a value; a later one overrides an earlier one.
type Origin int

const (
	FromDefault Origin = iota
	FromRun            // of the last run on the same data: Set.Earlier
	FromFile
	FromEnvironment
	FromFlag
)

// Read sets the fields from the flags of a command, the environment and a file ("" for none), and
// checks them if all were readable. An unreadable value leaves its field at the default.
func (s *Set) Read(cmd *cobra.Command, file string) *Review {
	r := &Review{set: s}
	v := viper.New()
	v.SetEnvPrefix(strings.TrimSuffix(s.prefix, "_"))
	v.SetEnvKeyReplacer(inVariables)
	v.AutomaticEnv()
	if r.checkEnvironment(); r.Hint != "" {
		return r
	}
	help := cmd.CommandPath() + " --help shows what each setting is"
	if read := r.readFile(v, file, help); !read {
		return r
	}
	for _, x := range s.settings {
		x.origin = s.originOf(x, v, cmd)
		if x.origin == FromFlag {
			v.Set(x.key, given(cmd.Flags().Lookup(x.flag())))
		}
		if x.origin != FromDefault && (x.origin != FromFile || !x.bad) {
			err := x.fill(v)
			if err == nil {
				err = x.literal(s.variable(x))
			}
			if err != nil {
				r.unread(err, help)
			}
		}
	}
	if s.Earlier != nil && r.Hint == "" {
		if file := s.Earlier(cmd); file != "" {
			r.Programs, r.Unused = s.readEarlier(file)
		}
	}
	if r.Hint == "" {
		r.check()
	}
	return r
}

// readFile reads a file of settings, and returns false if it is unusable.
func (r *Review) readFile(v *viper.Viper, file, help string) bool {
	if file == "" {
		return true
	}
	root, err := parse(file)
	if err == nil && root != nil && !written.IsNull(root) {
		for _, err := range r.set.checkGroup("", root, map[string]int{}) {
			r.unread(fmt.Errorf("config file %s: %w", file, err), help)
		}
	}
	v.SetConfigFile(file)
	if err == nil {
		err = v.ReadInConfig()
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		r.unread(fmt.Errorf("config file %s does not exist", file),
			"check the path given with --config")
		return false
	case err != nil && r.Hint != "": // a repeated key
		return false
	case err != nil:
		r.unread(fmt.Errorf("read config file %s: %w", file, err),
			"it must be YAML, TOML or JSON, named by its ending")
		return false
	}
	known := r.set.names(func(x *setting) string { return x.key })
	for _, key := range v.AllKeys() {
		if r.Hint == "" && !slices.Contains(known, key) {
			r.unread(fmt.Errorf("config file %s: unknown key %q", file, key),
				cmp.Or(r.set.instead(key), Suggest(key, known)))
			return false
		}
	}
	return true
}

// checkEnvironment refuses variables with the prefix that set nothing.
func (r *Review) checkEnvironment() {
	known := r.set.names(r.set.variable)
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, r.set.prefix) &&
			!slices.Contains(append(known, r.set.Others...), name) {
			r.unread(fmt.Errorf("environment variable %s sets nothing", name),
				cmp.Or(r.set.instead(name), Suggest(name, known)))
			return
		}
	}
}

// Instead returns what to do without a flag of older versions, if an error of the command line is
// about one, or "".
func (s *Set) Instead(err error) string {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		return s.instead(unknown.GetSpecifiedName())
	}
	return ""
}

// instead is Instead for a key, flag or variable.
func (s *Set) instead(name string) string {
	for key, advice := range s.Gone {
		if x := (&setting{key: key}); name == key || name == x.flag() || name == s.variable(x) {
			return advice
		}
	}
	return ""
}

func (s *Set) names(name func(*setting) string) (all []string) {
	for _, x := range s.settings {
		all = append(all, name(x))
	}
	return all
}

// inVariables replaces the characters of keys that variables cannot have.
var inVariables = strings.NewReplacer("-", "_", ".", "_")

// variable returns the name of the setting in the environment.
func (s *Set) variable(x *setting) string {
	return s.prefix + strings.ToUpper(inVariables.Replace(x.key))
}

func (s *Set) originOf(x *setting, v *viper.Viper, cmd *cobra.Command) Origin {
	switch {
	case x.isOf(cmd) && cmd.Flags().Changed(x.flag()):
		return FromFlag
	case os.Getenv(s.variable(x)) != "":
		return FromEnvironment
	case v.InConfig(x.key):
		return FromFile
	}
	return FromDefault
}

// given returns the value of a flag. A slice is passed as values, because viper reads it as text.
func given(flag *pflag.Flag) any {
	if slice, ok := flag.Value.(pflag.SliceValue); ok {
		return slice.GetSlice()
	}
	return flag.Value.String()
}
