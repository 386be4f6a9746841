package filter

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	mostPhrases     = 100_000 // words of a filter
	mostAnywhere    = 1_000   // words that are found anywhere: each takes a search
	mostExpressions = 100
	// mostInstructions limits all expressions of a filter: times MostText they are 1 << 29 steps.
	mostInstructions = 1 << 29 / MostText
	phraseWords      = 8  // of one phrase
	shownFinds       = 10 // in a reason
)

// score sums the weights of the parts in a page. In YAML it is the value of the key score.
type score struct {
	Least float64     `yaml:"least"` // least score of a rejected page
	Parts []scorePart `yaml:"parts"`

	phrases  map[string]float64 // weights by words with a blank between
	longest  int                // most words of a phrase
	anywhere []string           // phrases in scripts without blanks
	found    []expression
}

// scorePart is a list of words, or an expression, with a weight.
type scorePart struct {
	Words      texts   `yaml:"words"`
	File       string  `yaml:"words-file"` // more words, one a line
	Expression string  `yaml:"expression"` // RE2
	In         string  `yaml:"in"`         // for an expression: text (the default), title or url
	Weight     float64 `yaml:"weight"`     // default 1; negative for wanted pages
}

type expression struct {
	*regexp.Regexp
	in     string
	weight float64
}

// readWords reads the word lists into the words.
func (s *score) readWords(dir string) error {
	if s == nil {
		return nil
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.File == "" {
			continue
		}
		name := p.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		text, err := readFile(name, mostWords)
		if err != nil {
			return fmt.Errorf("words-file: %w", err)
		}
		p.Words = append(p.Words, nonEmpty(text)...)
	}
	return nil
}

func (s *score) compile() (Filter, error) {
	if s.Least <= 0 || len(s.Parts) == 0 {
		return nil, errors.New("score: want least, above 0, and parts, a list of words and " +
			"expressions")
	}
	s.phrases = map[string]float64{}
	instructions := 0
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Weight == 0 {
			p.Weight = 1
		}
		if (len(p.Words) > 0) == (p.Expression != "") {
			return nil, fmt.Errorf("score: part %d: want words (or words-file), or an expression",
				i+1)
		}
		if p.Expression == "" && p.In != "" ||
			!slices.Contains([]string{"", "text", "title", "url"}, p.In) {
			return nil, fmt.Errorf("score: part %d: in: want text, title or url, beside an "+
				"expression", i+1)
		}
		for _, word := range p.Words {
			if err := s.addPhrase(word, p.Weight); err != nil {
				return nil, err
			}
		}
		if p.Expression == "" {
			continue
		}
		found, size, err := compileExpression(p.Expression)
		if err != nil {
			return nil, fmt.Errorf("score: %.60q: %w", p.Expression, err)
		}
		instructions += size
		s.found = append(s.found, expression{found, p.In, p.Weight})
	}
	switch {
	case len(s.phrases) > mostPhrases:
		return nil, fmt.Errorf("score: there are %d words: want %d or fewer",
			len(s.phrases), mostPhrases)
	case len(s.anywhere) > mostAnywhere:
		return nil, fmt.Errorf("score: there are %d words of scripts without blanks: want %d "+
			"or fewer", len(s.anywhere), mostAnywhere)
	case len(s.found) > mostExpressions || instructions > mostInstructions:
		return nil, fmt.Errorf("score: there are %d expressions with %d instructions: want %d "+
			"and %d at most",
			len(s.found), instructions, mostExpressions, mostInstructions)
	}
	return s, nil
}

// compileExpression returns an expression, and the number of its instructions.
func compileExpression(text string) (*regexp.Regexp, int, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, 0, err
	}
	compiled, err := regexp.Compile(text)
	return compiled, len(program.Inst), err
}

func (s *score) addPhrase(text string, weight float64) error {
	phrase, words := fold(text)
	if words == 0 || words > phraseWords {
		return fmt.Errorf("score: %.60q has %d words: want 1 to %d", text, words, phraseWords)
	}
	if _, there := s.phrases[phrase]; !there && strings.ContainsFunc(phrase, isUnspaced) {
		s.anywhere = append(s.anywhere, phrase)
	}
	s.phrases[phrase] = weight
	s.longest = max(s.longest, words)
	return nil
}

// isUnspaced reports whether a letter is in a script without blanks between words.
func isUnspaced(r rune) bool {
	return r > 0xdff && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fold returns the words of a text in comparable form, with a blank between, and their number.
func fold(text string) (folded string, words int) {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(strings.ToLower(norm.NFKC.String(text)),
		func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}) {
		if words > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		words++
	}
	return b.String(), words
}

// Judge rejects a page with a score of Least or more.
func (s *score) Judge(_ context.Context, p *Page) (v Verdict, _ error) {
	var finds []string
	add := func(what string, weight float64) {
		v.Score += weight
		finds = append(finds, what)
	}
	seen := map[string]bool{}
	s.eachPhrase(p.Title+"\n"+p.Text, func(phrase string) {
		if !seen[phrase] {
			seen[phrase] = true
			add(phrase, s.phrases[phrase])
		}
	})
	for _, x := range s.found {
		in := p.Text
		switch x.in {
		case "title":
			in = p.Title
		case "url":
			in = p.URL
		}
		if found := x.FindStringIndex(in); found != nil {
			add(in[found[0]:min(found[1], found[0]+60)], x.weight)
		}
	}
	v.Reject = v.Score >= s.Least
	v.Why = fmt.Sprintf("score %.4g, rejected from %.4g", v.Score, s.Least)
	if len(finds) > 0 {
		v.Why += ": " + strings.Join(finds[:min(len(finds), shownFinds)], ", ")
	}
	return v, nil
}

// eachPhrase calls yield with the phrases in a text, in order of place. Those in scripts without
// blanks come last.
func (s *score) eachPhrase(text string, yield func(phrase string)) {
	folded, words := fold(text)
	ends := make([]int, 0, words) // ends of the words
	for i := range len(folded) {
		if folded[i] == ' ' {
			ends = append(ends, i)
		}
	}
	ends = append(ends, len(folded))
	from := 0
	for i, end := range ends {
		for _, to := range ends[i:min(i+s.longest, len(ends))] {
			if _, is := s.phrases[folded[from:to]]; is {
				yield(folded[from:to])
			}
		}
		from = end + 1
	}
	for _, phrase := range s.anywhere {
		if strings.Contains(folded, phrase) {
			yield(phrase)
		}
	}
}
