package extract

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/recrawl/recrawl/sitegraph"
)

// rulesVersion is part of each fingerprint: raise it when rules select other text than before.
const rulesVersion = 2

// RuleSpec is a rule as written.
type RuleSpec struct {
	Prefix     string        `json:"prefix"`
	Part       string        `json:"change,omitempty"` // default "text"
	Watch      []string      `json:"watch,omitempty"`
	Ignore     []string      `json:"ignore,omitempty"`
	WatchText  []string      `json:"watch-text,omitempty"`
	IgnoreText []string      `json:"ignore-text,omitempty"`
	JSON       *JSONRuleSpec `json:"json,omitempty"` // nil: JSON is no page
	SimHash    int           `json:"simhash,omitempty"`
}

// JSONRuleSpec is the part of a rule for JSON.
type JSONRuleSpec struct {
	Watch  []string `json:"watch,omitempty"`
	Ignore []string `json:"ignore,omitempty"`
}

// Part is the text to which a rule applies.
type Part uint8

const (
	PartUnknown Part = iota
	PartText         // visible text
	PartMain         // main text
	PartBytes        // the source; with selectors: elements, attributes and texts
)

var partNames = map[string]Part{"": PartText, "text": PartText, "main": PartMain,
	"bytes": PartBytes}

// Rule is a compiled rule. Its zero value selects all visible text.
type Rule struct {
	spec                  RuleSpec
	part                  Part
	fingerprint           uint32
	watch, ignore         []*selector
	watchText, ignoreText []*expression
	watchJSON, ignoreJSON []*path
}

// Spec returns the rule as written.
func (r *Rule) Spec() RuleSpec { return r.spec }

// Part returns the text to which the rule applies.
func (r *Rule) Part() Part { return r.part }

// Selects reports whether it has selectors.
func (r *Rule) Selects() bool { return len(r.watch)+len(r.ignore) > 0 }

// Watches reports whether it has selectors to watch.
func (r *Rule) Watches() bool { return len(r.watch) > 0 }

// WatchesJSON reports whether it has paths of JSON to watch.
func (r *Rule) WatchesJSON() bool { return len(r.watchJSON) > 0 }

// JSON reports whether documents of JSON under it are pages.
func (r *Rule) JSON() bool { return r != nil && r.spec.JSON != nil }

// Made reports whether a digest was made by this rule, or by none if r is nil.
func (r *Rule) Made(d sitegraph.Digest) bool {
	fingerprint, ok := d.Rule()
	if r == nil {
		return !ok
	}
	return ok && fingerprint == r.fingerprint
}

// Digest returns the digest of the selected text. Line ends do not count, except for PartBytes.
func (r *Rule) Digest(left []byte) sitegraph.Digest {
	if r.spec.SimHash > 0 {
		return sitegraph.RuledDigest(SimHash(left), r.fingerprint, uint8(r.spec.SimHash))
	}
	if r.part != PartBytes {
		left = bytes.ReplaceAll(left, []byte("\n"), []byte(" "))
	}
	sum := md5.Sum(left)
	return sitegraph.RuledDigest(binary.BigEndian.Uint64(sum[:]), r.fingerprint, 0)
}

// GobEncode writes the rule as written, for another process.
func (r *Rule) GobEncode() ([]byte, error) { return json.Marshal(&r.spec) }

// GobDecode compiles the rule again.
func (r *Rule) GobDecode(b []byte) error {
	var spec RuleSpec
	if err := json.Unmarshal(b, &spec); err != nil {
		return err
	}
	return r.compile(spec, func(key string, i int, err error) {})
}

// NewRule compiles a rule that does not come from a file. It ignores the prefix.
func NewRule(spec RuleSpec) (*Rule, error) {
	var wrong []error
	r := new(Rule)
	err := r.compile(spec, func(key string, _ int, err error) {
		wrong = append(wrong, fmt.Errorf("%s: %w", key, err))
	})
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return r, err
}

// Fingerprint returns the fingerprint of the rule without its prefix.
func (r *Rule) Fingerprint() uint32 { return r.fingerprint }

// compile compiles the rule, and reports problems with value i of a key to wrong.
func (r *Rule) compile(spec RuleSpec, wrong func(key string, i int, err error)) error {
	failed := 0
	tell := func(key string, i int, err error) {
		failed++
		wrong(key, i, err)
	}
	var ok bool
	r.spec = spec
	if r.part, ok = partNames[spec.Part]; !ok {
		tell("change", 0, fmt.Errorf("%q is not a part of a page: want text, main or bytes",
			short(spec.Part)))
	}
	if spec.SimHash < 0 || spec.SimHash > mostBits {
		tell("simhash", 0, fmt.Errorf("%d is not a number of differing bits: want 0 to %d",
			spec.SimHash, mostBits))
	}
	r.watch = compileAll("watch", spec.Watch, newSelector, tell)
	r.ignore = compileAll("ignore", spec.Ignore, newSelector, tell)
	r.watchText = compileAll("watch-text", spec.WatchText, newExpression, tell)
	r.ignoreText = compileAll("ignore-text", spec.IgnoreText, newExpression, tell)
	if j := spec.JSON; j != nil {
		r.watchJSON = compileAll("json.watch", j.Watch, newPath, tell)
		r.ignoreJSON = compileAll("json.ignore", j.Ignore, newPath, tell)
	}
	if failed > 0 {
		return fmt.Errorf("%d parts of the rule cannot be used", failed)
	}
	said := spec
	said.Prefix = ""
	text, err := json.Marshal(&said)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", rulesVersion, text))
	r.fingerprint = binary.BigEndian.Uint32(sum[:])
	return nil
}

const (
	mostBits       = 32    // of 64: two texts without common words differ in about as many
	mostExpression = 1_000 // octets of a selector, expression or path
	mostInList     = 64    // selectors, expressions or paths of one kind in a rule
	mostProgram    = 1_000 // instructions of an expression
)

func compileAll[T any](key string, texts []string, compile func(string) (T, error),
	wrong func(string, int, error)) (all []T) {
	if len(texts) > mostInList {
		wrong(key, 0, fmt.Errorf("%d are too many: want %d or fewer", len(texts), mostInList))
		return nil
	}
	for i, text := range texts {
		if len(text) > mostExpression {
			wrong(key, i, fmt.Errorf("%q has %d octets: want %d or fewer",
				short(text), len(text), mostExpression))
			continue
		}
		x, err := compile(text)
		if err != nil {
			wrong(key, i, fmt.Errorf("%q: %w", short(text), err))
			continue
		}
		all = append(all, x)
	}
	return all
}

func short(text string) string {
	if len(text) > 60 {
		return text[:60] + "..."
	}
	return text
}

// expression is a regular expression, with its length as a program.
type expression struct {
	*regexp.Regexp
	steps int
}

func newExpression(text string) (*expression, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("not a regular expression of RE2: %w", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > mostProgram {
		return nil, fmt.Errorf("it is too large when its repetitions are written out: %d steps, "+
			"want %d or fewer", len(program.Inst), mostProgram)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &expression{re, len(program.Inst)}, nil
}
