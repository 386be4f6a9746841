package written

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads one YAML document. The node is nil without one.
func Parse(text []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	switch err := d.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, noYAML(err)
	}
	if err := d.Decode(&more); err == nil {
		return nil, fmt.Errorf("line %d: a second document begins: want one", more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, noYAML(err)
	}
	return document.Content[0], nil
}

func noYAML(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.Contains(text, "cannot start any token") {
		text += " (YAML takes no tab at the beginning of a line, write blanks; and what begins " +
			"with @, % or ` stands in quotes)"
	}
	return errors.New("it is not YAML: " + text)
}

// mostLevels limits the depth of a document.
const mostLevels = 64

// ParseJSON reads one JSON document as if it were YAML.
func ParseJSON(text []byte) (*yaml.Node, error) {
	j := jsonReader{Decoder: json.NewDecoder(bytes.NewReader(text)), text: text}
	j.UseNumber()
	n, err := j.value(0)
	if err == nil {
		if _, end := j.Token(); end != io.EOF {
			err = errors.New("something is behind its end")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: it is not JSON: %w", j.line(), err)
	}
	return n, nil
}

type jsonReader struct {
	*json.Decoder
	text []byte
}

func (j *jsonReader) line() int {
	return 1 + bytes.Count(j.text[:min(int(j.InputOffset()), len(j.text))], []byte("\n"))
}

func (j *jsonReader) value(level int) (*yaml.Node, error) {
	token, err := j.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: j.line()}
	switch v := token.(type) {
	case json.Delim:
		if level == mostLevels {
			return nil, fmt.Errorf("it has more than %d levels", mostLevels)
		}
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if v == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		for j.More() { // keys are also values
			x, err := j.value(level + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, x)
		}
		_, err = j.Token()
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, err
}
