package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
)

const (
	mostJSON   = 1 << 20 // octets
	mostValues = 100_000
	mostLevels = 64
	// most values that a path may take of each value on its way, over all its steps
	mostUnion = 16
)

// path is a JSONPath (RFC 9535).
type path struct {
	text string
	*jsonpath.Path
}

func newPath(text string) (*path, error) {
	p, err := jsonpath.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("not a JSONPath of RFC 9535: %s",
			strings.TrimPrefix(err.Error(), "jsonpath: "))
	}
	if strings.Count(text, "..") > 1 {
		return nil, errors.New(
			"it has more than one \"..\", which takes too long: want one or none")
	}
	union := 1
	for _, segment := range p.Query().Segments() {
		if union *= max(len(segment.Selectors()), 1); union > mostUnion {
			return nil, fmt.Errorf("its lists in brackets make more than %d alternatives",
				mostUnion)
		}
	}
	return &path{text, p}, nil
}

// mark is a place in a document that a path selects, or that leads to one.
type mark struct {
	watched, ignored bool
	leads            bool          // leads to a watched value
	below            map[any]*mark // by name (string) or index (int)
}

// markAll sets marks on the selected places, and on the way to them.
func (m *mark) markAll(key string, paths []*path, document any, set, way func(*mark),
	t *RuleTrace) {
	for _, p := range paths {
		for _, found := range p.SelectLocated(document) {
			at := m
			way(at)
			for _, step := range found.Path {
				place := placeOf(step)
				if at.below == nil {
					at.below = map[any]*mark{}
				}
				next := at.below[place]
				if next == nil {
					next = new(mark)
					at.below[place] = next
				}
				at = next
				way(at)
			}
			set(at)
			t.hit(key, p.text, func() string {
				text, _ := json.Marshal(found.Node)
				return string(text[:min(len(text), 4*sample)])
			})
		}
	}
}

func placeOf(step spec.NormalSelector) any {
	switch s := step.(type) {
	case spec.Name:
		return string(s)
	case spec.Index:
		return int(s)
	}
	return nil
}

// Values returns the lines of a JSON document that the rule selects: a value a line, members in
// order of name, numbers as written. If the document is invalid or too large, ok is false and the
// lines are those of the body. t may be nil.
func (r *Rule) Values(body []byte, t *RuleTrace) (lines []byte, ok bool) {
	document, err := parseJSON(body)
	if err != nil {
		t.note("the document counts as it is: %v", err)
		return body, false
	}
	var root mark
	root.markAll("json.ignore", r.ignoreJSON, document, func(m *mark) {
		m.ignored = true
	}, func(*mark) {}, t)
	root.markAll("json.watch", r.watchJSON, document, func(m *mark) {
		m.watched = true
	}, func(m *mark) { m.leads = true }, t)
	if r.spec.JSON != nil {
		t.names("json.ignore", r.spec.JSON.Ignore)
		t.names("json.watch", r.spec.JSON.Watch)
	}
	return appendValue(make([]byte, 0, len(body)), document, &root, len(r.watchJSON) == 0), true
}

// appendValue appends the selected parts of a value. watched: all of it except ignored parts.
func appendValue(buf []byte, value any, m *mark, watched bool) []byte {
	if m == nil {
		if !watched {
			return buf
		}
		m = &mark{}
	}
	if m.ignored {
		return buf
	}
	watched = watched || m.watched
	if !watched && !m.leads {
		return buf
	}
	switch v := value.(type) {
	case map[string]any:
		buf = append(buf, "{\n"...)
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			before := len(buf)
			quoted, _ := json.Marshal(name) // strings are always valid JSON
			buf = append(append(buf, quoted...), ": "...)
			from := len(buf)
			if buf = appendValue(buf, v[name], m.below[name], watched); len(buf) == from {
				buf = buf[:before]
			}
		}
		return append(buf, "}\n"...)
	case []any:
		buf = append(buf, "[\n"...)
		for i, x := range v {
			buf = appendValue(buf, x, m.below[i], watched)
		}
		return append(buf, "]\n"...)
	}
	if !watched {
		return buf
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil { // strings, numbers, bools and nil are always valid JSON
		return buf
	}
	return append(buf, text.Bytes()...)
}

// parseJSON parses a document within the bounds, and refuses anything after it.
func parseJSON(body []byte) (document any, err error) {
	if len(body) > mostJSON {
		return nil, fmt.Errorf("it has %d octets, more than %d", len(body), mostJSON)
	}
	values, level, quoted := 1, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			values++
			if level++; level > mostLevels {
				return nil, fmt.Errorf("it has more than %d levels", mostLevels)
			}
		case c == ']' || c == '}':
			level--
		case c == ',':
			values++
		}
	}
	if values > mostValues {
		return nil, fmt.Errorf("it has more than %d values", mostValues)
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("it is not JSON: something follows its end")
	}
	return document, nil
}
