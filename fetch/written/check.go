package written

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Decode reads a YAML document into a pointer's target, after checking all of it. It returns false
// without a document.
func Decode(text []byte, into any) (ok bool, err error) {
	n, err := Parse(text)
	if n == nil || err != nil || IsNull(n) {
		return false, err
	}
	if problems := Check("", n, reflect.TypeOf(into).Elem()); len(problems) > 0 {
		return false, errors.Join(problems...)
	}
	return true, n.Decode(into)
}

// In adds the name of a file to each line of an error.
func In(file string, err error) error {
	return errors.New(file + ": " + strings.ReplaceAll(err.Error(), "\n", "\n"+file+": "))
}

// Check compares a node, the value of a key, with the type of its target, and returns all mistakes.
func Check(key string, n *yaml.Node, t reflect.Type) []error {
	c := checker{}
	c.check(key, n, t, 0)
	return c.problems
}

// checker collects mistakes.
type checker struct {
	problems []error
	nodes    int
}

const (
	mostProblems = 100
	mostNodes    = 1_000_000 // counting aliases each time
)

func (c *checker) refuse(key string, n *yaml.Node, format string, args ...any) {
	if len(c.problems) < mostProblems {
		c.problems = append(c.problems, Refused(key, n, format, args...))
	}
}

// Refused returns an error with the place in a file and its key.
func Refused(key string, n *yaml.Node, format string, args ...any) error {
	where := ""
	if n.Line > 0 {
		where = fmt.Sprintf("line %d: ", n.Line)
	}
	if key != "" {
		where += key + ": "
	}
	return errors.New(where + fmt.Sprintf(format, args...))
}

var (
	span        = reflect.TypeFor[time.Duration]()
	unmarshaler = reflect.TypeFor[yaml.Unmarshaler]()
)

// NoUnit returns what to write instead of a time span without a unit, or "" for any other text.
func NoUnit(text string) string {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n == 0 || math.IsNaN(n) || math.IsInf(n, 0) {
		return ""
	}
	return fmt.Sprintf("%s has no unit: write %[1]ss for seconds", text)
}

// NoValue is the mistake of a key without a value.
const NoValue = "there is no value (YAML takes what begins with # for a comment: put it in quotes)"

// IsNull reports whether a node is null.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func (c *checker) check(key string, n *yaml.Node, t reflect.Type, level int) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if c.nodes++; level > mostLevels || c.nodes > mostNodes {
		c.refuse(key, n, "it is too deep or too large")
		return
	}
	own := reflect.PointerTo(t).Implements(unmarshaler) // it also accepts a text
	isText := n.Kind == yaml.ScalarNode && !IsNull(n)
	switch kind := t.Kind(); {
	case IsNull(n):
		c.refuse(key, n, "%s", NoValue)
	case t == span, own && kind == reflect.Int64:
		c.span(key, n, own)
	case own && isText:
		c.text(key, n)
	case kind == reflect.Slice && n.Kind == yaml.SequenceNode:
		if cutBy(n.FootComment) || cutBy(n.HeadComment) && n.Style&yaml.FlowStyle != 0 {
			c.refuse(key, n, "%s", NoValue)
		}
		for i, x := range n.Content {
			c.check(fmt.Sprintf("%s[%d]", key, i+1), x, t.Elem(), level+1)
		}
	case kind == reflect.Slice && isText && t.Elem().Kind() == reflect.String:
		c.text(key, n)
	case kind == reflect.Slice && t.Elem().Kind() == reflect.String:
		c.refuse(key, n, "want a text, or a list of texts")
	case kind == reflect.Slice:
		c.refuse(key, n, "want a list")
	case kind == reflect.Map && n.Kind == yaml.MappingNode:
		c.fields(key, n, func(name string) (reflect.Type, bool) { return t.Elem(), true }, level)
	case kind == reflect.Struct && n.Kind == yaml.MappingNode:
		c.fields(key, n, func(name string) (reflect.Type, bool) { return fieldOf(t, name) }, level)
	case kind == reflect.Map, kind == reflect.Struct:
		c.refuse(key, n, "want keys, each with a value")
	default:
		c.scalar(key, n, t)
	}
}

// fields checks the values of a map, and that no key is there twice.
func (c *checker) fields(key string, n *yaml.Node, of func(string) (reflect.Type, bool),
	level int) {
	at := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		path := strings.TrimPrefix(key+"."+name.Value, ".")
		t, known := of(name.Value)
		switch line, twice := at[name.Value]; {
		case name.Kind != yaml.ScalarNode || IsNull(name):
			c.refuse(key, name, "want a text as a key")
		case name.Tag == "!!merge":
			c.merged(key, value, of, level+1)
		case !known:
			c.refuse("", name, "unknown key %.60s", name.Value)
		case twice:
			c.refuse(path, name, "it is there twice, also in line %d", line)
		default:
			at[name.Value] = name.Line
			c.check(path, value, t, level+1)
		}
	}
}

// merged checks the value of <<: keys of another map, or of several.
func (c *checker) merged(key string, n *yaml.Node, of func(string) (reflect.Type, bool),
	level int) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if c.nodes++; level > mostLevels || c.nodes > mostNodes {
		c.refuse(key, n, "it is too deep or too large")
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		c.fields(key, n, of, level)
	case yaml.SequenceNode:
		for _, x := range n.Content {
			c.merged(key, x, of, level+1)
		}
	default:
		c.refuse(key, n, "<<: want keys")
	}
}

// fieldOf returns the type of a key's field. Fields without a tag match in any case, as in viper.
func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if tag, ok := f.Tag.Lookup("yaml"); ok {
			if tag == name {
				return f.Type, true
			}
			continue
		}
		tag := f.Tag.Get("mapstructure")
		if tag == "" {
			tag = f.Name
		}
		if f.IsExported() && strings.EqualFold(tag, name) {
			return f.Type, true
		}
	}
	return nil, false
}

func (c *checker) span(key string, n *yaml.Node, own bool) {
	unit := NoUnit(n.Value)
	switch _, err := time.ParseDuration(n.Value); {
	case n.Kind != yaml.ScalarNode:
		c.refuse(key, n, "want a time span, for example 90s or 1h30m")
	case unit != "":
		c.refuse(key, n, "%s", unit)
	case err != nil && !own:
		c.refuse(key, n, "%.60q is not a time span, for example 90s or 1h30m", n.Value)
	default:
		n.Tag = "!!str" // also 0, which the decoder refuses as a number
	}
}

func (c *checker) text(key string, n *yaml.Node) {
	if want := NoText(n); want != "" {
		c.refuse(key, n, "%s", want)
	}
}

// NoText returns why a node is no text, or "". It does not show the value, which may be secret.
func NoText(n *yaml.Node) string {
	switch {
	case IsNull(n):
		return NoValue
	case n.Kind == yaml.SequenceNode:
		return "want one text, and this is a list"
	case n.Kind != yaml.ScalarNode:
		return "want a text"
	case n.Tag == "!!int", n.Tag == "!!float":
		return "want a text, and this is a number: put it in quotes if it is meant as it stands"
	case n.Tag == "!!bool":
		return "want a text, and this is true or false: put it in quotes if it is meant"
	case n.Tag != "!!str" && n.Tag != "!!timestamp":
		return "want a text without a tag"
	case n.Style == 0 && cutBy(n.LineComment):
		return "YAML takes what is behind the # for a comment: put the whole text in quotes, or " +
			"write a blank behind the #"
	}
	return ""
}

// cutBy reports whether a comment was probably not meant as one: people write a blank after the #.
func cutBy(comment string) bool {
	return len(comment) > 1 && strings.Trim(comment[1:2], " \t#!-=") != ""
}

// Unreplaced returns what is wrong with a text that looks like one for replacement, or "". It is
// taken literally, while a shell or another file would replace a part. path means that it is the
// name of a file.
func Unreplaced(text string, path bool) string {
	switch {
	case strings.Contains(text, "${"):
		return "variables are not replaced here: write the value"
	case path && (text == "~" || strings.HasPrefix(text, "~/")):
		return "~ is not replaced here: write the whole path"
	}
	return ""
}

// scalar checks a value that is neither a list nor a map.
func (c *checker) scalar(key string, n *yaml.Node, t reflect.Type) {
	kind := t.Kind()
	if kind == reflect.String {
		c.text(key, n)
		return
	}
	if kind == reflect.Interface {
		return
	}
	value := strings.ReplaceAll(n.Value, "_", "")
	quoted := n.Tag == "!!str"
	number := func(want string, ok bool) {
		digits := strings.TrimLeft(value, "+-")
		octal := len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == ""
		switch {
		case n.Kind != yaml.ScalarNode || !ok:
			c.refuse(key, n, "want %s", want)
		case octal:
			c.refuse(key, n, "%.60s begins with 0, which may mean octal: write it without",
				n.Value)
		case quoted: // the decoder reads it as a text
			n.Tag, n.Style = "", 0
			n.Tag = n.ShortTag()
		}
	}
	switch {
	case kind == reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
			c.refuse(key, n, "want true or false")
		}
	case t.ConvertibleTo(reflect.TypeFor[float64]()) && reflect.Zero(t).CanFloat():
		if hundreds, ok := strings.CutSuffix(value, "%"); ok && quoted { // 2% is 0.02
			value, quoted = strings.TrimSpace(hundreds)+"e-2", false
			n.Value, n.Tag, n.Style = value, "!!float", 0
		}
		f, err := strconv.ParseFloat(value, 64)
		number("a number", err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) &&
			(quoted || n.Tag == "!!int" || n.Tag == "!!float"))
	case reflect.Zero(t).CanInt():
		_, err := strconv.ParseInt(value, 0, t.Bits())
		want := "a whole number"
		if errors.Is(err, strconv.ErrRange) {
			want += fmt.Sprintf(" of at most %d", uint64(1)<<(t.Bits()-1)-1)
		}
		number(want, err == nil && (quoted || n.Tag == "!!int"))
	case reflect.Zero(t).CanUint():
		_, err := strconv.ParseUint(value, 0, t.Bits())
		number("a whole number, not below 0", err == nil && (quoted || n.Tag == "!!int"))
	default:
		panic(fmt.Sprintf("written: %s is of type %v", key, t))
	}
}
