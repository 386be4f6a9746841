package index

import (
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	tokens "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/registry"
	"github.com/ikawaha/kagome-dict/ipa"
	"github.com/ikawaha/kagome/v2/tokenizer"
	"golang.org/x/text/unicode/norm"
)

// Word is a searched word of a text, and its place.
type Word struct {
	Term     string
	From, To int
}

// mostTerm limits a word, in octets; longer ones are no words.
const mostTerm = 128

// japanese is loaded when a text first needs it: the dictionary takes about 0.4 s and 150 MB.
var japanese = sync.OnceValues(func() (*tokenizer.Tokenizer, error) {
	return tokenizer.New(ipa.Dict(), tokenizer.OmitBosEos())
})

var others = tokens.NewUnicodeTokenizer()

// Words splits a text into words: Japanese and Chinese by the dictionary of kagome into base forms,
// other scripts by UAX 29. Words are in lower case and Unicode form NFKC.
func Words(text string) (words []Word) {
	for from := 0; from < len(text); {
		size, ours := run(text[from:])
		if ours {
			words = appendJapanese(words, text[from:from+size], from)
		} else {
			for _, t := range others.Tokenize([]byte(text[from : from+size])) {
				words = appendWord(words, string(t.Term), from+t.Start, from+t.End)
			}
		}
		from += size
	}
	return words
}

// run returns the length of the start of a text that is of one kind.
func run(text string) (size int, ours bool) {
	for i, r := range text {
		is := isOurs(r)
		if i > 0 && is != ours && !unicode.Is(unicode.Mn, r) {
			return i, ours
		}
		if i == 0 {
			ours = is
		}
	}
	return len(text), ours
}

func isOurs(r rune) bool {
	return r >= 0x3000 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r == 'ー' || r == '々')
}

// appendWord appends a word in its searched form.
func appendWord(words []Word, term string, from, to int) []Word {
	term = strings.ToLower(norm.NFKC.String(term))
	if term == "" || len(term) > mostTerm || !strings.ContainsFunc(term, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}) {
		return words
	}
	return append(words, Word{term, from, to})
}

// mostRun limits the text for the dictionary, in octets: its work grows faster than the text.
const mostRun = 1 << 10

func appendJapanese(words []Word, text string, at int) []Word {
	t, err := japanese()
	if err != nil {
		panic("the dictionary of this program cannot be read: " + err.Error())
	}
	for len(text) > 0 {
		part := text
		if len(part) > mostRun {
			part = strings.ToValidUTF8(part[:mostRun], "")
		}
		plain := norm.NFKC.String(part)
		offset := 0
		for _, token := range t.Analyze(plain, tokenizer.Search) {
			term := token.Surface
			if base, ok := token.BaseForm(); ok && base != "*" {
				term = base
			}
			from, to := at+offset, at+offset+len(token.Surface)
			if plain != part { // the places within it are unknown
				from, to = at, at+len(part)
			}
			offset += len(token.Surface)
			words = appendWord(words, term, from, to)
		}
		text, at = text[len(part):], at+len(part)
	}
	return words
}

// analyzerName is the name of Words in the engine.
const analyzerName = "recrawl_words"

// analyzer adapts Words to the engine.
type analyzer struct{}

func (analyzer) Analyze(text []byte) (stream analysis.TokenStream) {
	for i, w := range Words(string(text)) {
		stream = append(stream, &analysis.Token{Term: []byte(w.Term), Start: w.From, End: w.To,
			Position: i + 1})
	}
	return stream
}

func init() {
	err := registry.RegisterAnalyzer(analyzerName,
		func(map[string]any, *registry.Cache) (analysis.Analyzer, error) {
			return analyzer{}, nil
		})
	if err != nil {
		panic(err)
	}
}
