package extract

import "strings"

const (
	// mostSeen limits the text of Seen, in octets. fewSeen is the least main text that suffices.
	// With less, for example if scripts fill the page, Seen has all visible text.
	mostSeen, fewSeen = 64 << 10, 100
)

// Seen is the content that filters judge.
type Seen struct {
	Title string
	// main text, or all visible text if that is short; at most 64 KiB
	Text            string
	Language        string // <html lang>
	ContentLanguage string // of the options
}

func (s *scanner) summary(page []byte, contentLanguage string) *Seen {
	text, ok := s.mainText(page)
	if !ok || len(text) < fewSeen {
		text = s.text
	}
	return &Seen{Title: cut(s.title.in(s.text)), Text: cut(text), Language: s.language,
		ContentLanguage: contentLanguage}
}

// cut returns the first mostSeen octets of a text.
func cut(text []byte) string {
	return strings.ToValidUTF8(string(text[:min(len(text), mostSeen)]), "")
}
