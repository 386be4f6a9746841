package written

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// texts is a list, or one text.
type texts []string

func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(t))
	}
	*t = texts{n.Value}
	return nil
}

type file struct {
	Name  string            `yaml:"name"`
	Pause time.Duration     `yaml:"pause"`
	Count int               `yaml:"count"`
	Small uint8             `yaml:"small"`
	Share float64           `yaml:"share"`
	Loud  *bool             `yaml:"loud"`
	Words texts             `yaml:"words"`
	Map   map[string]string `yaml:"map"`
	Below []struct {
		Pause time.Duration `yaml:"pause"`
	} `yaml:"below"`
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"pause: 3":                        "line 1: pause: 3 has no unit: write 3s for seconds",
		"pause: \"3\"":                    "has no unit",
		"pause: 1.5":                      "has no unit",
		"pause: -3":                       "has no unit",
		"pause: soon":                     "not a time span",
		"pause: [3s]":                     "want a time span",
		"pause:":                          "there is no value",
		"below:\n- pause: 3s\n- pause: 4": "line 3: below[2].pause: 4 has no unit",
		"name: 12":                        "this is a number",
		"name: 1.5":                       "this is a number",
		"name: true":                      "this is true or false",
		"name: [a]":                       "this is a list",
		"name: {a: b}":                    "want a text",
		"name: ~":                         "there is no value",
		"name: null":                      "there is no value",
		"name: #price":                    "there is no value",
		"name: .box #price":               "put the whole text in quotes",
		"words: .box #price":              "put the whole text in quotes",
		"words:\n- #ad":                   "words[1]: there is no value",
		"words: [a, ~]":                   "words[2]: there is no value",
		"words: [a, #b\n]":                "put the whole text in quotes",
		"words: [1]":                      "this is a number",
		"words: 1":                        "this is a number",
		"words: {a: b}":                   "list of texts",
		"count: 2.7":                      "want a whole number",
		"count: 1e3":                      "want a whole number",
		"count: \"64 \"":                  "want a whole number",
		"count: many":                     "want a whole number",
		"count: 010":                      "octal",
		"count: 99999999999999999999":     "at most 9223372036854775807",
		"small: 256":                      "not below 0",
		"small: -1":                       "not below 0",
		"share: .nan":                     "want a number",
		"share: .inf":                     "want a number",
		"share: x":                        "want a number",
		"loud: yes":                       "want true or false",
		"loud: 1":                         "want true or false",
		"loud: \"no\"":                    "want true or false",
		"map: [a]":                        "want keys",
		"map: {a: 1}":                     "map.a: want a text",
		"map: {a: b, a: c}":               "map.a: it is there twice",
		"name: a\nname: b":                "line 2: name: it is there twice, also in line 1",
		"nome: a":                         "unknown key nome",
		"below: {pause: 3s}":              "want a list",
		"a: &a {pause: 3}\n":              "unknown key a",
		"below:\n- &a {pause: 3s}\n- {<<: *a, pause: 4}": "has no unit",
		"name: a\n---\nname: b":                          "a second document",
		"name: a\n\tpause: 3s":                           "line 2",
		"\tname: a":                                      "no tab",
		"name: &a [*a]":                                  "a list",
		"- a":                                            "want keys",
		"name: !!binary aGk=":                            "without a tag",
	} {
		if ok, err := Decode([]byte(text), new(file)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, ok, err, want)
		}
	}
}

func TestTaken(t *testing.T) {
	loud := true
	for text, want := range map[string]file{
		"pause: 0":                          {},
		"pause: 3s # a comment":             {Pause: 3 * time.Second},
		"pause: 3s #comment":                {Pause: 3 * time.Second},
		"name: \"12\"":                      {Name: "12"},
		"name: 2024-01-01":                  {Name: "2024-01-01"},
		"name: a#b":                         {Name: "a#b"},
		"name: \"#price\"":                  {Name: "#price"},
		"name: .box # a comment":            {Name: ".box"},
		"count: \"64\"":                     {Count: 64},
		"count: 1_000":                      {Count: 1000},
		"share: 2":                          {Share: 2},
		"share: \"0.5\"":                    {Share: 0.5},
		"share: 2.5 %":                      {Share: 0.025},
		"loud: true":                        {Loud: &loud},
		"words: a":                          {Words: texts{"a"}},
		"words: [a, 'b']":                   {Words: texts{"a", "b"}},
		"words:\n# about them\n- a # one\n": {Words: texts{"a"}},
		"map: {a: b}":                       {Map: map[string]string{"a": "b"}},
	} {
		var got file
		if ok, err := Decode([]byte(text), &got); !ok || err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, %v, want %+v", text, got, err, want)
		}
	}
	if ok, err := Decode([]byte("# nothing\n"), new(file)); ok || err != nil {
		t.Errorf("nothing: %v, %v", ok, err)
	}
}

// TestJSON checks that JSON has the same rules, and its own escapes.
func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{\"pause\":\n 3}":                    "line 2: pause: 3 has no unit",
		"{\"name\": null}":                    "there is no value",
		"{\"count\": 2.0}":                    "want a whole number",
		"{\"name\": \"a\",\n\"name\": \"b\"}": "line 2: name: it is there twice",
		"{\"name\": 1}":                       "this is a number",
		"{\"name\": \"a\"} x":                 "not JSON",
		"{\"name\": ":                         "line 1: it is not JSON",
		strings.Repeat("[", 100):              "levels",
	} {
		n, err := ParseJSON([]byte(text))
		if err == nil {
			for _, problem := range Check("", n, reflect.TypeFor[file]()) {
				err = problem
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	n, err := ParseJSON([]byte(`{"name": "\ud83d\ude00", "words": ["a"], "loud": true}`))
	if err != nil || n.Content[1].Value != "\U0001f600" {
		t.Errorf("%+v, %v", n, err)
	}
}

// FuzzDecode checks that accepted documents can be decoded, and that errors have a text.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("name: a\npause: 3s\nwords: [a, #b\n]\nbelow: [{pause: 3}]\n"))
	f.Add([]byte("a: &a [*a, *a]\n<<: *a\ncount: \"010\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if n, err := Parse(text); err == nil && n != nil && !IsNull(n) {
			if len(Check("", n, reflect.TypeFor[file]())) == 0 {
				if err := n.Decode(new(file)); err != nil {
					t.Errorf("%q was taken: %v", text, err)
				}
			}
		}
		if n, err := ParseJSON(text); err == nil {
			Check("", n, reflect.TypeFor[file]())
		}
	})
}
