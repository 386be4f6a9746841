package extract

import "strings"

const (
	// mostSeen bounds the text of Seen, in octets. fewSeen is the least main text that is enough:
	// below it, as where scripts fill a page, all visible text is taken.
	mostSeen, fewSeen = 64 << 10, 100
)

// Seen is what a page shows, for filters to judge.
type Seen struct {
	Title string
	// main text, or all visible text where there is little of that; 64 KiB at most
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

// cut is the beginning of a text.
func cut(text []byte) string {
	return strings.ToValidUTF8(string(text[:min(len(text), mostSeen)]), "")
}
