package extract

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	mostSteps = 1 << 29 // of all expressions on a page; about two seconds at worst
	mostLine  = 64 << 10
	sample    = 60 // octets
)

// RuleTrace records the effects of a rule on a page. A nil one records nothing.
type RuleTrace struct {
	Hits  []RuleHit `json:"hits"`  // one for each selector, expression and path
	Notes []string  `json:"notes"` // parts of the rule that could not be applied
}

// RuleHit counts the matches of a part of a rule.
type RuleHit struct {
	Key        string `json:"key"` // as in the file: watch, ignore, ignore-text, json.watch
	Expression string `json:"expression"`
	Count      int    `json:"count"`  // elements, texts, lines or values
	Sample     string `json:"sample"` // start of the first match
}

func (t *RuleTrace) note(format string, args ...any) {
	if t != nil {
		t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
	}
}

func (t *RuleTrace) hit(key, expression string, text func() string) {
	if t == nil {
		return
	}
	i := slices.IndexFunc(t.Hits, func(h RuleHit) bool {
		return h.Key == key && h.Expression == expression
	})
	if i < 0 {
		i = len(t.Hits)
		t.Hits = append(t.Hits, RuleHit{Key: key, Expression: expression, Sample: cutText(text())})
	}
	t.Hits[i].Count++
}

// names adds expressions that matched nothing.
func (t *RuleTrace) names(key string, expressions []string) {
	if t == nil {
		return
	}
	for _, x := range expressions {
		if !slices.ContainsFunc(t.Hits, func(h RuleHit) bool {
			return h.Key == key && h.Expression == x
		}) {
			t.Hits = append(t.Hits, RuleHit{Key: key, Expression: x})
		}
	}
}

func cutText(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= sample {
		return text
	}
	end := sample
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// Lines returns the lines that the expressions of the rule leave, without blanks at their ends and
// without empty lines. The expressions search each line by itself, and only its first 64 KB.
func (r *Rule) Lines(text []byte, t *RuleTrace) []byte {
	left := make([]byte, 0, len(text))
	steps := mostSteps
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		for _, x := range r.ignoreText {
			line = x.without(line, &steps, t)
		}
		if line = bytes.TrimSpace(line); len(line) == 0 || !r.watches(line, &steps, t) {
			continue
		}
		left = append(append(left, line...), '\n')
	}
	if steps <= 0 {
		t.note("the text is too long for the expressions: not all of it was searched")
	}
	t.names("ignore-text", r.spec.IgnoreText)
	t.names("watch-text", r.spec.WatchText)
	return bytes.TrimSuffix(left, []byte("\n"))
}

// without removes the matches of the expression. The text around a match is unchanged.
func (x *expression) without(line []byte, steps *int, t *RuleTrace) []byte {
	searched := line[:min(len(line), mostLine)]
	each := max(len(searched), 1) * x.steps
	if *steps <= 0 {
		return line
	}
	found := x.FindAllIndex(searched, max(*steps/each, 1))
	*steps -= each * (len(found) + 1)
	if len(found) == 0 {
		return line
	}
	kept, from := make([]byte, 0, len(line)), 0
	for _, f := range found {
		if f[0] == f[1] {
			continue // an empty match removes nothing
		}
		t.hit("ignore-text", x.String(), func() string { return string(line[f[0]:f[1]]) })
		kept, from = append(kept, line[from:f[0]]...), f[1]
	}
	return append(kept, line[from:]...)
}

// watches reports whether a line counts. All do if no expression is watched, or if the steps are
// used up.
func (r *Rule) watches(line []byte, steps *int, t *RuleTrace) bool {
	if len(r.watchText) == 0 || *steps <= 0 {
		return true
	}
	searched := line[:min(len(line), mostLine)]
	for _, x := range r.watchText {
		*steps -= len(searched) * x.steps
		if x.Match(searched) {
			t.hit("watch-text", x.String(), func() string { return string(line) })
			return true
		}
	}
	return false
}
