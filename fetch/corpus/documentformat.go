package corpus

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/recrawl/recrawl/fetch/extract"
)

const (
	// MostSentence limits a sentence, in octets. Longer ones, for example lists of data, are split.
	MostSentence = 4 << 10
	// MostSentences limits the sentences of a page.
	MostSentences = 20_000
	// MostInLinks limits the links to a page; those of the smallest URLs are kept. All pages of a
	// server link to its top page, and a new page must not make another version of that.
	MostInLinks = 100
	// mostAnchors limits the links of a page.
	mostAnchors = 2_000
	// leastKana is the least share of kana and Chinese characters among the letters of a Japanese
	// sentence. At least one must be kana.
	leastKana = 0.5
)

// DocumentSource is the input for a document.
type DocumentSource struct {
	URL, Charset, Language, PageType string
	Time                             time.Time  // of the capture
	Dated                            *time.Time // date inside the document; nil for HTML or none
	Body                             *extract.Body
}

// NewDocument returns the document of a page, without links to it and without annotations.
func NewDocument(s DocumentSource) *Document {
	d := &Document{URL: s.URL, DocID: IDOf(s.URL), OriginalEncoding: s.Charset,
		Language: s.Language,
		PageType: s.PageType, CrawlTime: s.Time.UTC().Truncate(time.Second), Dated: s.Dated}
	if t := &s.Body.Title; t.Text != "" {
		offset, length := t.Source(0, len(t.Text))
		d.Header.Title = &DocumentText{offset, length, valid(t.Text)}
	}
	for i, a := range s.Body.Anchors {
		if i == mostAnchors {
			break
		}
		d.Header.OutLinks = append(d.Header.OutLinks, NewLink(a.URL, valid(a.Text)))
	}
	for i := range s.Body.Passages {
		d.add(&s.Body.Passages[i])
	}
	return d
}

// add appends the sentences of a passage.
func (d *Document) add(p *extract.Passage) {
	place := Beside
	if p.Main {
		place = Main
	}
	for from := 0; from < len(p.Text) && len(d.Sentences) < MostSentences; {
		size := sentence(p.Text[from:])
		text := strings.TrimRight(p.Text[from:from+size], " ")
		if text != "" {
			offset, length := p.Source(from, from+len(text))
			s := Sentence{ID: len(d.Sentences) + 1, Offset: offset, Length: length, Place: place,
				Raw: valid(text)}
			if isJapanese(s.Raw) {
				s.Japanese = 1
			}
			d.Sentences = append(d.Sentences, s)
		}
		from += size
	}
}

// sentence returns the length of a text's first sentence, with the blank after it.
func sentence(text string) int {
	// The library searches for the end of the sentence, which may be far away.
	window := text[:min(len(text), MostSentence)]
	for len(window) < len(text) && len(window) > 1 && !utf8.RuneStart(text[len(window)]) {
		window = window[:len(window)-1]
	}
	size := 0
	for rest, state := window, -1; rest != ""; {
		var first string
		first, rest, state = uniseg.FirstSentenceInString(rest, state)
		size += len(first)
		if !goesOn(first, rest) {
			break
		}
	}
	return size
}

// goesOn reports whether an end by UAX 29 is the end of a quotation within a Japanese sentence,
// because a particle follows.
func goesOn(first, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(first)
	next, _ := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune("」』）", last) && unicode.Is(unicode.Hiragana, next)
}

// valid returns a text that XML can represent.
func valid(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r', r >= ' ' && r <= 0xd7ff, r >= 0xe000 &&
			r <= 0xfffd, r >= 0x10000:
			return r
		}
		return utf8.RuneError
	}, text)
}

func isJapanese(text string) bool {
	letters, ours, kana := 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
			ours++
			letters++
		case unicode.Is(unicode.Han, r):
			ours++
			letters++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return kana > 0 && float64(ours) >= leastKana*float64(letters)
}
