package filter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
	"golang.org/x/text/language"
)

const (
	// leastLetters is the least number of letters to identify a language, leastHan that for Chinese
	// and Japanese, where a letter is a word.
	leastLetters, leastHan = 24, 6
	// reliable is the least confidence with which the text decides: with it no page of
	// measure/testdata/pages.jsonl gets a wrong language.
	reliable = whatlanggo.ReliableConfidenceThreshold
	// mostSample limits the part of a text that is read, in octets: more does not help.
	mostSample = 8 << 10
	// leastKana is the least share of kana among the letters of Japanese. Texts in
	// measure/testdata/pages.jsonl have 0.4 and more; names of products in Chinese have less.
	leastKana = 0.05
)

// Language is the language of a page, and its evidence.
type Language struct {
	Code       string  `json:"code"`       // base language, for example de; "": not known
	From       string  `json:"from"`       // what decided: text, lang, header; "": nothing
	Confidence float64 `json:"confidence"` // of the text, 0 to 1; 0: too short
}

// LanguageOf identifies the language of a page.
func LanguageOf(p *Page) Language {
	code, confidence := languageOfText(p.Text)
	if confidence >= reliable {
		return Language{code, "text", confidence}
	}
	if code, err := BaseLanguage(p.Language); err == nil {
		return Language{code, "lang", confidence}
	}
	if code, err := BaseLanguage(p.ContentLanguage); err == nil { // a list of several is no code
		return Language{code, "header", confidence}
	}
	return Language{Confidence: confidence}
}

// languageOfText identifies the language of a text, with a confidence from 0 to 1.
func languageOfText(text string) (code string, confidence float64) {
	text = strings.ToValidUTF8(text[:min(len(text), mostSample)], "")
	letters, han, kana := 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
			letters++
		case unicode.Is(unicode.Han, r):
			han++
			letters++
		case unicode.IsLetter(r):
			letters++
		}
	}
	switch both := han + kana; {
	case 2*both > letters && both >= leastHan && float64(kana) >= leastKana*float64(both):
		return "ja", 1
	case 2*both > letters && both >= leastHan:
		return "zh", 1
	}
	if text = prose(text); utf8.RuneCountInString(text) < leastLetters {
		return "", 0
	}
	found := whatlanggo.Detect(text)
	if code, err := BaseLanguage(found.Lang.Iso6393()); err == nil {
		return code, found.Confidence
	}
	return "", 0
}

// mostRepeats limits how often a word counts. Repeated links, as in menus, would make the trigrams
// of a word decide. Function words, which help most, also repeat.
const mostRepeats = 4

// prose returns the words that form sentences: of letters alone, and in lower case if the script
// has it. Names, URLs and program text mislead.
func prose(text string) string {
	var b strings.Builder
	seen := map[string]int{}
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r)
		})
		if word == "" || seen[word] == mostRepeats || strings.ContainsFunc(word, notProse) {
			continue
		}
		seen[word]++
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

func notProse(r rune) bool {
	return unicode.IsUpper(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' &&
		r != '’' && r != '-'
}

// canonical unifies codes of a language: nb is no, cmn is zh, iw is he.
var canonical = language.Macro | language.DeprecatedBase

var errCode = errors.New("it is not a code of a language, for example de, pt-BR or zh")

// BaseLanguage returns the base language of a BCP 47 code: pt for pt-BR, zh for cmn.
func BaseLanguage(code string) (string, error) {
	tag, err := canonical.Parse(strings.TrimSpace(code))
	if err != nil {
		return "", errCode
	}
	base, sure := tag.Base()
	if sure == language.No || base.String() == "und" || base.String() == "mul" {
		return "", errCode
	}
	return base.String(), nil
}

// languages accepts pages in some languages.
type languages []string

// mostLanguages limits the accepted languages.
const mostLanguages = 100

func newLanguages(codes []string) (languages, error) {
	var wanted languages
	for _, code := range codes {
		base, err := BaseLanguage(code)
		if err != nil {
			return nil, fmt.Errorf("languages: %.40q: %w", code, err)
		}
		if !slices.Contains(wanted, base) {
			wanted = append(wanted, base)
		}
	}
	if len(wanted) > mostLanguages {
		return nil, fmt.Errorf("languages: there are %d: want %d or fewer",
			len(wanted), mostLanguages)
	}
	return wanted, nil
}

// Judge rejects a page in a known language that is not accepted.
func (l languages) Judge(_ context.Context, p *Page) (Verdict, error) {
	is := LanguageOf(p)
	v := Verdict{Score: is.Confidence}
	switch is.From {
	case "":
		v.Why = "its language is unknown"
		return v, nil
	case "text":
		v.Why = fmt.Sprintf("its text is in %s (confidence %.2f)", is.Code, is.Confidence)
	case "lang":
		v.Why = "its text does not show its language, and it names itself " + is.Code
	case "header":
		v.Why = "its text does not show its language, and Content-Language is " + is.Code
	}
	if v.Reject = !slices.Contains(l, is.Code); v.Reject {
		v.Why += "; wanted: " + strings.Join(l, ", ")
	}
	return v, nil
}
