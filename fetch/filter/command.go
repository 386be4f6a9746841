package filter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

const mostAnswer = 64 << 10 // octets of a line

// command asks a program: a page a line on standard input, a verdict a line on standard output.
type command struct{ *Program }

func newCommand(s *spec) (Filter, error) {
	timeout, err := s.timeout()
	if err != nil {
		return nil, err
	}
	for _, variable := range s.Environment {
		if name, _, _ := strings.Cut(variable, "="); !variableName.MatchString(name) {
			return nil, fmt.Errorf("environment: %q is neither a name of a variable nor NAME=VALUE",
				name)
		}
	}
	p, err := OpenProgram(ProgramOptions{Command: s.Command, Timeout: timeout,
		Processes: s.Processes, Most: mostAnswer, Environment: s.Environment})
	if err != nil {
		return nil, err
	}
	return command{p}, nil
}

// Judge waits for a free process. The time-out of the page begins then.
func (c command) Judge(ctx context.Context, p *Page) (v Verdict, err error) {
	line, err := json.Marshal(p)
	if err != nil {
		return v, err
	}
	err = c.Ask(ctx, line, func(answer []byte) (err error) {
		v, err = parseVerdict(answer)
		return err
	})
	return v, err
}

// parseVerdict reads an answer.
func parseVerdict(line []byte) (v Verdict, err error) {
	var answer struct {
		Reject *bool   `json:"reject"`
		Score  float64 `json:"score"`
		Why    string  `json:"why"`
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Reject == nil {
		return v, fmt.Errorf(
			`it answers %.80q: want a line like {"reject": true, "score": 0.9, "why": "..."}`,
			bytes.TrimSpace(line))
	}
	return Verdict{*answer.Reject, answer.Score, answer.Why}, nil
}
