package filter

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/fetch/written"
	"github.com/recrawl/recrawl/sitegraph/words"
)

const (
	mostFile    = 1 << 20 // octets of a file of filters
	mostWords   = 4 << 20 // octets of a word list
	mostFilters = 64
)

// Mistake is an error in the settings of filters.
type Mistake struct{ error }

func (m *Mistake) Unwrap() error { return m.error }

// Hint returns where the keys are documented.
func (m *Mistake) Hint() string { return "docs/reference/filters.md has each key of a filter" }

// texts is a list of texts. A list of one may be written without brackets.
type texts []string

func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(t))
	}
	*t = texts{n.Value}
	return nil
}

// spec is a filter as written. Exactly one of Languages, Score, Links and Command is set.
type spec struct {
	Name   string `yaml:"name"`
	Prefix string `yaml:"prefix"` // of the URLs that it judges; "": all
	Follow *bool  `yaml:"follow"` // follow links of rejected pages; default: languages alone

	Languages texts     `yaml:"languages"`
	Score     *score    `yaml:"score"`
	Links     *linkFarm `yaml:"links"`
	Command   texts     `yaml:"command"`

	// Timeout and the fields below are for a command.
	Timeout     time.Duration `yaml:"timeout"` // for a page
	Processes   int           `yaml:"processes"`
	Environment texts         `yaml:"environment"` // besides the usual variables: NAME or NAME=VALUE
	Version     string        `yaml:"version"`     // a change judges all pages again
}

// read returns the filters of the options, in order.
func read(o Options) (specs []spec, err error) {
	if len(o.Languages) > 0 {
		specs = append(specs, spec{Name: "languages", Languages: o.Languages})
	}
	if o.File == "" {
		return specs, nil
	}
	text, err := readFile(o.File, mostFile)
	if err != nil {
		return nil, fmt.Errorf("read filters: %w", err)
	}
	more, err := parse(text, filepath.Dir(o.File))
	if err != nil {
		return nil, &Mistake{written.In(o.File, err)}
	}
	return append(specs, more...), nil
}

func readFile(name string, most int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(text) > most {
		err = &Mistake{fmt.Errorf("%s has more than %d octets", name, most)}
	}
	return text, err
}

// parse reads a file of filters, and its word lists, whose names are relative to dir.
func parse(text []byte, dir string) ([]spec, error) {
	var file struct {
		Filters []spec `yaml:"filters"`
	}
	if _, err := written.Decode(text, &file); err != nil {
		return nil, err
	}
	if len(file.Filters) == 0 {
		return nil, errors.New("there are no filters: want \"filters:\" and a list below it")
	}
	if len(file.Filters) > mostFilters {
		return nil, fmt.Errorf("there are %d filters: want %d or fewer",
			len(file.Filters), mostFilters)
	}
	var wrong []error
	for i := range file.Filters {
		f := &file.Filters[i]
		if f.Name == "" || len(f.Name) > 64 || printable(f.Name) != f.Name {
			wrong = append(wrong, fmt.Errorf("filter %d has no name of 1 to 64 letters", i+1))
		}
		if len(f.Command) > 0 {
			if why := written.Unreplaced(f.Command[0], true); why != "" {
				wrong = append(wrong, fmt.Errorf("filter %q: command: %s", f.Name, why))
			}
		}
		if err := f.Score.readWords(dir); err != nil {
			wrong = append(wrong, fmt.Errorf("filter %q: %w", f.Name, err))
		}
		if len(f.Command) > 0 && strings.ContainsRune(f.Command[0], filepath.Separator) &&
			!filepath.IsAbs(f.Command[0]) {
			f.Command[0] = filepath.Join(dir, f.Command[0])
		}
	}
	return file.Filters, errors.Join(wrong...)
}

// compile returns the filter. The error is a Mistake.
func (s *spec) compile() (n named, err error) {
	n = named{name: s.Name, prefix: s.Prefix}
	var kinds []string
	kind := func(name string, there bool, build func() (Filter, error)) {
		if !there {
			return
		}
		if kinds = append(kinds, name); len(kinds) == 1 {
			n.kind = name
			n.Filter, err = build()
		}
	}
	kind("languages", len(s.Languages) > 0, func() (Filter, error) {
		return newLanguages(s.Languages)
	})
	kind("score", s.Score != nil, func() (Filter, error) { return s.Score.compile() })
	kind("links", s.Links != nil, func() (Filter, error) { return s.Links.compile() })
	kind("command", len(s.Command) > 0, func() (Filter, error) { return newCommand(s) })
	if len(kinds) != 1 {
		err = fmt.Errorf("it has %d of the keys languages, score, links and command: want one of "+
			"them", len(kinds))
	}
	if err == nil && n.kind != "command" && (s.Timeout != 0 || s.Version != "" ||
		s.Processes != 0 || len(s.Environment) != 0) {
		err = errors.New("timeout, version, processes and environment are of a command")
	}
	if err != nil {
		return n, &Mistake{fmt.Errorf("filter %q: %w", s.Name, err)}
	}
	n.follow = n.kind == "languages"
	if s.Follow != nil {
		n.follow = *s.Follow
	}
	return n, nil
}

const (
	usualTimeout = 5 * time.Second
	mostTimeout  = time.Minute
)

// timeout returns the time-out of a command for a page.
func (s *spec) timeout() (time.Duration, error) {
	if s.Timeout < 0 || s.Timeout > mostTimeout {
		return 0, fmt.Errorf("timeout: want more than 0 and at most %s",
			words.Duration(mostTimeout))
	}
	if s.Timeout == 0 {
		return usualTimeout, nil
	}
	return s.Timeout, nil
}

// nonEmpty returns the lines of a word list; "#" starts a comment.
func nonEmpty(text []byte) (words []string) {
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			words = append(words, line)
		}
	}
	return slices.Clip(words)
}
