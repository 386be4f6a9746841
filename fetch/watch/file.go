package watch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/fetch/written"
	"github.com/recrawl/recrawl/planner/preferences"
)

// Mistake is an error in a file of rules.
type Mistake struct{ error }

func (m *Mistake) Unwrap() error { return m.error }

// Hint returns where the keys are documented.
func (m *Mistake) Hint() string { return "docs/reference/watching.md has each key of a rule" }

// File is a file of rules.
type File struct {
	// Contact is a web or mail address of the operator, for the user agent.
	Contact string            `yaml:"contact"`
	Targets map[string]Target `yaml:"targets"`
	Rules   []*Rule           `yaml:"rules"`

	path  string
	byURL map[string][]int // numbers of the rules of one page, by URL
	rest  []int            // rules with a prefix
	focus bool             // nothing else is visited
}

// Target says how to reach a receiver. Exactly one of File, Webhook and Command is set. "${NAME}"
// in a text means a variable of the environment.
type Target struct {
	Webhook string `yaml:"webhook"` // URL to which messages are posted
	File    string `yaml:"file"`    // file with such a URL in its only line; nobody else may read it
	Secret  string `yaml:"secret"`  // of the webhook, to sign messages
	Command texts  `yaml:"command"` // a program and its arguments
	Text    bool   `yaml:"text"`    // the command gets text for people instead of JSON
}

// UnmarshalYAML also accepts a URL alone as a target.
func (t *Target) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*t = Target{Webhook: n.Value}
		return nil
	}
	type plain Target
	return n.Decode((*plain)(t))
}

// texts is a list of texts. A list of one may be written without brackets.
type texts []string

// UnmarshalYAML reads a text or a list of texts.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(t))
	}
	*t = texts{n.Value}
	return nil
}

// age is a time span such as 30d or 12h.
type age time.Duration

func (a age) of() time.Duration { return time.Duration(a) }

// UnmarshalYAML reads days ("30d"), or a duration of Go ("12h").
func (a *age) UnmarshalYAML(n *yaml.Node) error {
	if days, ok := strings.CutSuffix(n.Value, "d"); ok {
		d, err := strconv.ParseFloat(days, 64)
		if err == nil && d >= 0 && d <= 10_000 {
			*a = age(d * 24 * float64(time.Hour))
			return nil
		}
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil || d < 0 {
		return fmt.Errorf("line %d: %.40q is not a time span, for example 90s, 12h or 30d", n.Line, n.Value)
	}
	*a = age(d)
	return nil
}

// hours is a calendar.
type hours struct{ *preferences.Calendar }

// UnmarshalYAML reads a calendar.
func (h *hours) UnmarshalYAML(n *yaml.Node) (err error) {
	if h.Calendar, err = preferences.ParseCalendar(n.Value); err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	return nil
}

const (
	mostFile    = 1 << 20 // octets
	mostTargets = 64
)

// Read reads a file of rules. The error is a Mistake unless the file cannot be read.
func Read(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read rules of watch: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err != nil {
		return nil, fmt.Errorf("read rules of watch: %w", err)
	}
	file, err := parse(text)
	if err != nil {
		return nil, &Mistake{written.In(path, err)}
	}
	if err := file.unreplaced(); err != nil {
		return nil, &Mistake{written.In(path, err)}
	}
	file.path = path
	dir := filepath.Dir(path)
	for _, r := range file.Rules {
		r.Feed = below(dir, r.Feed)
	}
	for name, t := range file.Targets {
		t.File = below(dir, t.File)
		if len(t.Command) > 0 && strings.ContainsRune(t.Command[0], filepath.Separator) {
			t.Command[0] = below(dir, t.Command[0])
		}
		file.Targets[name] = t
	}
	return file, nil
}

// unreplaced refuses ~ and variables in values where they are not replaced; in targets they are.
func (f *File) unreplaced() error {
	var wrong []error
	see := func(what, text string, path bool) {
		if why := written.Unreplaced(text, path); why != "" {
			wrong = append(wrong, fmt.Errorf("%s: %.60s: %s", what, text, why))
		}
	}
	see("contact", f.Contact, false)
	for _, r := range f.Rules {
		see(fmt.Sprintf("rule %q: feed", r.Name), r.Feed, true)
		see(fmt.Sprintf("rule %q: url", r.Name), r.URL, false)
		see(fmt.Sprintf("rule %q: prefix", r.Name), r.Prefix, false)
	}
	for _, name := range f.Names() {
		t := f.Targets[name]
		what := fmt.Sprintf("target %q", Shown(name))
		if strings.HasPrefix(t.File, "~/") {
			see(what+": file", t.File, true)
		}
		if len(t.Command) > 0 && strings.HasPrefix(t.Command[0], "~/") {
			see(what+": command", t.Command[0], true)
		}
	}
	return errors.Join(wrong...)
}

// below resolves a path in a file relative to the directory of that file.
func below(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Directory returns the default directory for the store of a watch: beside the file.
func (f *File) Directory() string {
	return strings.TrimSuffix(f.path, filepath.Ext(f.path)) + ".watched"
}

func parse(text []byte) (*File, error) {
	if len(text) > mostFile {
		return nil, fmt.Errorf("it has more than %d octets", mostFile)
	}
	file := new(File)
	if _, err := written.Decode(text, file); err != nil {
		return nil, err
	}
	if len(file.Rules) == 0 {
		return nil, errors.New(`there are no rules: want "rules:" and a list below it`)
	}
	if len(file.Rules) > mostRules {
		return nil, fmt.Errorf("there are %d rules: want %d or fewer", len(file.Rules), mostRules)
	}
	if file.Targets == nil {
		file.Targets = map[string]Target{}
	}
	return file, file.complete()
}

func (f *File) complete() error {
	var wrong []error
	f.byURL = map[string][]int{}
	names := map[string]bool{}
	feeds := map[string]bool{}
	for i, r := range f.Rules {
		if r == nil {
			wrong = append(wrong, fmt.Errorf("rule %d is empty", i+1))
			continue
		}
		if !isName(r.Name) || names[r.Name] {
			wrong = append(wrong, fmt.Errorf("rule %d has no name of its own, of 1 to %d letters",
				i+1, mostName))
		}
		names[r.Name] = true
		if r.Feed != "" && feeds[r.Feed] {
			wrong = append(wrong, fmt.Errorf("rule %q: feed: another rule writes %s",
				r.Name, r.Feed))
		}
		feeds[r.Feed] = true
		if err := r.complete(); err != nil {
			wrong = append(wrong, fmt.Errorf("rule %q: %w", r.Name, err))
		}
		if r.URL != "" {
			f.byURL[r.URL] = append(f.byURL[r.URL], i)
		} else {
			f.rest = append(f.rest, i)
		}
		for _, to := range r.To {
			if _, known := f.Targets[to]; known {
				continue
			}
			if !strings.Contains(to, "://") {
				wrong = append(wrong,
					fmt.Errorf("rule %q: to: there is no target %.60q, and it is no address",
						r.Name, to))
				continue
			}
			f.Targets[to] = Target{Webhook: to}
		}
	}
	if len(f.Targets) > mostTargets {
		wrong = append(wrong, fmt.Errorf("there are %d targets: want %d or fewer",
			len(f.Targets), mostTargets))
	}
	for name, t := range f.Targets {
		if n := count(t.File != "", t.Webhook != "", len(t.Command) > 0); n != 1 ||
			t.Secret != "" && t.Webhook == "" || t.Text && len(t.Command) == 0 {
			wrong = append(wrong, fmt.Errorf("target %q: want one of webhook, file and command; "+
				"secret is of a webhook, text of a command", Shown(name)))
		}
	}
	return errors.Join(wrong...)
}

// isName reports whether a text can be a name: a single line that is no URL.
func isName(text string) bool {
	return text != "" && len(text) <= mostName && !strings.Contains(text, "://") &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

func count(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// Shown returns a printable name of a target. URLs may contain secrets, so they are cut: a webhook
// to its server.
func Shown(target string) string {
	scheme, rest, isAddress := strings.Cut(target, "://")
	if !isAddress {
		return target
	}
	if scheme != "http" && scheme != "https" {
		return scheme + "://..."
	}
	server, _, _ := strings.Cut(rest, "/")
	server, _, _ = strings.Cut(server, "?")
	server = server[strings.LastIndexByte(server, '@')+1:] // the host, without the user
	return scheme + "://" + server + "/..."
}

// shown returns printable names of the targets, by key. Equal names get the numbers of their first
// places in the file.
func (f *File) shown() map[string]string {
	alike, number := map[string]int{}, map[string]int{}
	for _, r := range f.Rules {
		for _, to := range r.To {
			if number[to] == 0 {
				number[to] = len(number) + 1
			}
		}
	}
	for _, name := range f.Names() {
		alike[Shown(name)]++
	}
	shown := map[string]string{}
	for _, name := range f.Names() {
		text := Shown(name)
		if alike[text] > 1 {
			text += fmt.Sprintf(" (target %d)", number[name])
		}
		shown[key(name)] = text
	}
	return shown
}

// key returns the name of a target in the store. A URL is hashed, because it may contain secrets.
func key(target string) string {
	scheme, _, isAddress := strings.Cut(target, "://")
	if !isAddress {
		return target
	}
	sum := sha256.Sum256([]byte(target))
	return scheme + "://" + hex.EncodeToString(sum[:8])
}

// Names returns the names of all targets, in order.
func (f *File) Names() []string {
	names := make([]string, 0, len(f.Targets))
	for name := range f.Targets {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
