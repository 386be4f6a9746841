package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/recrawl/recrawl/fetch/written"
)

// Set is all settings of a program.
//
// Each setting is a tagged field of a struct. Its value comes from a flag, the environment or a
// file; a list of objects only comes from a file. A Set knows no single setting: Config declares
// them, and NewSet makes a Set of them.
//
// A field with a tag is a setting, a struct with a tag is a group of them. Tags:
//
//	key      its name; without it, the field's in small letters
//	default  its value if none is given; without it, what the field has
//	for      the commands that have it as a flag; of a group: of all in it (see NameAs)
//	range    an interval of numbers or time spans, as [1,10] or (0,1] or [0,) or [1m,24h]
//	oneof    names, as "hour, day"
//	want     what messages ask for, where range or names do not tell it well
//	names    what a shell offers, where oneof does not say it: the program checks the names itself
//	path     what of the disk a shell offers: "directory", "any", or endings as "yaml yml"
//	unit     of a text that begins with a number: what stands behind it, as "d"; "none": nothing
//	secret   anything: the value is not shown
//	help     what --help says of it
//
// A key names a setting in the file, behind the key of its group ("eval.weeks"). Its flag has no
// group ("--weeks" of the command eval). Its variable in the environment is the whole key in
// capitals behind a prefix ("RECRAWL_EVAL_WEEKS"). Ranges and names of a list hold for each value.
//
// # Guarantees
//
//  1. A flag overrules the environment, that overrules the file, that overrules the default.
//  2. A value of a file has the kind of its setting: a time span has a unit, a key has a value and
//     is there once (package written). Neither ~ nor ${NAME} is replaced: both are refused.
//  3. Keys and variables that set nothing are refused, with the nearest that would.
//  4. Each command reads and checks all settings, also those without a flag of the command. It
//     reports all errors at once, by the flag if there was one, else by the key, with the value and
//     the allowed values.
//
// A Review also has all values with their origins, and writes a first file of settings. The program
// checks the settings together, and adds its errors to the Review.
type Set struct {
	Others []string // variables of the environment with the prefix that are no settings
	// Gone are settings of older versions, by key: what to do without them.
	Gone map[string]string
	// Earlier returns the file of Review.Given from an earlier process, for a command whose
	// settings are read, or "".
	Earlier func(*cobra.Command) string
	// NotEarlier are the keys that such files do not have, and that are not read from them.
	NotEarlier []string

	prefix   string
	words    *strings.Replacer
	settings []*setting
}

// setting is a field with the content of its tag.
type setting struct {
	key      string
	commands []string
	help     string
	field    reflect.Value // it has the default until the setting is read
	unset    any           // the default
	allowed  func(reflect.Value) bool
	want     string
	names    []string // for completion in a shell
	path     string   // files for completion in a shell
	unit     string   // of a text with a number: what follows the number
	secret   bool
	bad      bool // the file has a value of another kind
	origin   Origin
}

// NewSet returns the settings that the struct behind a pointer declares. prefix is that of
// variables of the environment, for example "RECRAWL_". words replaces names that a tag cannot
// know, for example lists. An invalid tag is a mistake of the program, and panics.
func NewSet(config any, prefix string, words *strings.Replacer) *Set {
	s := &Set{prefix: prefix, words: words}
	s.add(reflect.ValueOf(config).Elem(), "", "")
	return s
}

// add adds the fields of a group.
func (s *Set) add(group reflect.Value, path, commands string) {
	for i := range group.NumField() {
		field, declared := group.Field(i), group.Type().Field(i)
		if declared.Tag == "" {
			continue
		}
		tag := func(name string) string { return s.words.Replace(declared.Tag.Get(name)) }
		key := path + cmp.Or(tag("key"), strings.ToLower(declared.Name))
		commands := cmp.Or(tag("for"), commands)
		if field.Kind() == reflect.Struct {
			s.add(field, key+".", commands)
			continue
		}
		x := &setting{key: key, commands: strings.Fields(commands), help: tag("help"), field: field,
			path: tag("path"), unit: tag("unit"), secret: tag("secret") != ""}
		if names := cmp.Or(tag("names"), tag("oneof")); names != "" {
			x.names = strings.Split(names, ", ")
		}
		x.allowed, x.want = restriction(tag("range"), tag("oneof"))
		x.want = cmp.Or(tag("want"), x.want)
		if text := tag("default"); text != "" {
			v := viper.New()
			v.Set(key, text)
			if err := x.fill(v); err != nil {
				panic(fmt.Sprintf("setting: default of %v", err))
			}
		}
		x.unset = field.Interface()
		s.settings = append(s.settings, x)
	}
}

// AddFlags adds the flags of a command.
func (s *Set) AddFlags(cmd *cobra.Command) {
	for _, x := range s.settings {
		if x.isOf(cmd) && !x.isList() {
			x.addFlag(cmd.Flags())
			x.offer(cmd)
		}
	}
}

// Alias adds another name of a command's flag.
func Alias(cmd *cobra.Command, alias, name string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, given string) pflag.NormalizedName {
		if given == alias {
			given = name
		}
		return pflag.NormalizedName(given)
	})
}

func (x *setting) isOf(cmd *cobra.Command) bool {
	return slices.Contains(x.commands, NameOf(cmd)) && x.key != cmd.Annotations[Without]
}

// NameAs is the annotation that gives a command another name in tags, for example because another
// command has the same name.
const NameAs = "settings"

// Without is the annotation that takes a flag from a command to which tags give it. Its value is
// the key of the setting.
const Without = "without"

// NameOf returns the name of a command in tags.
func NameOf(cmd *cobra.Command) string { return cmp.Or(cmd.Annotations[NameAs], cmd.Name()) }

// flag returns the key without its group.
func (x *setting) flag() string { return x.key[strings.LastIndex(x.key, ".")+1:] }

func (x *setting) addFlag(f *pflag.FlagSet) {
	switch name := x.flag(); value := x.field.Interface().(type) {
	case string:
		f.String(name, value, x.help)
	case bool:
		f.Bool(name, value, x.help)
	case int:
		f.Int(name, value, x.help)
	case int64:
		f.Int64(name, value, x.help)
	case uint64:
		f.Uint64(name, value, x.help)
	case float64:
		f.Float64(name, value, x.help)
		flag := f.Lookup(name)
		flag.Value = share{flag.Value}
	case time.Duration:
		span := spanFlag(value)
		f.Var(&span, name, x.help)
	case []string:
		f.StringSlice(name, value, x.help)
	case []int:
		f.IntSlice(name, value, x.help)
	case []float64:
		f.Float64Slice(name, value, x.help)
		flag := f.Lookup(name)
		flag.Value = shares{share{flag.Value}, flag.Value.(pflag.SliceValue)}
		if len(value) > 0 { // with significant digits, and blanks to break at
			flag.DefValue = strings.ReplaceAll(strings.Trim(fmt.Sprint(value), "[]"), " ", ", ")
		}
	default:
		panic(fmt.Sprintf("setting: %s is of type %T", x.key, value))
	}
}

// isList reports whether a setting is a list of objects, which only a file can have.
func (x *setting) isList() bool {
	return x.field.Kind() == reflect.Slice && x.field.Type().Elem().Kind() == reflect.Struct
}

// kind describes the values of the setting.
func (x *setting) kind() string {
	switch x.field.Interface().(type) {
	case bool:
		return "true or false"
	case int, int64, uint64:
		return "a whole number"
	case float64:
		return "a number"
	case time.Duration:
		return "a time span as 90s or 1h30m"
	case []int:
		return "a list of whole numbers"
	case []float64:
		return "a list of numbers"
	case []string:
		return "a list of names"
	}
	return "a text"
}

// fill sets the field to the value read; a value of another kind leaves it unchanged.
func (x *setting) fill(v *viper.Viper) error {
	value := reflect.New(x.field.Type())
	isList := x.isList()
	exact := func(d *mapstructure.DecoderConfig) {
		d.ErrorUnused = isList
		d.DecodeHook = mapstructure.ComposeDecodeHookFunc(d.DecodeHook, percentHook)
	}
	err := v.UnmarshalKey(x.key, value.Interface(), exact)
	if err != nil && isList { // its content may be secret, and long
		return fmt.Errorf("%s: %s", x.key, strings.Join(strings.Fields(err.Error()), " "))
	}
	if err != nil {
		if unit := written.NoUnit(fmt.Sprint(v.Get(x.key))); unit != "" &&
			x.field.Type() == reflect.TypeFor[time.Duration]() {
			return fmt.Errorf("%s: %s", x.key, unit)
		}
		return fmt.Errorf("%s: %v: want %s", x.key, v.Get(x.key), x.kind())
	}
	x.field.Set(value.Elem())
	return nil
}
