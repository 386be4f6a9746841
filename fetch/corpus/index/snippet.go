package index

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// mostSnippet limits a snippet, in octets.
	mostSnippet = 300
	// mostLooked limits the part of a page that is searched for the best sentence, in octets.
	mostLooked = 64 << 10
)

// snippet returns the first sentence (line) of a text with the most of some words, and the places
// of these words.
func snippet(body string, terms []string) (text string, marks [][2]int) {
	best, most := "", 0
	body = body[:min(len(body), mostLooked)]
	for line := range strings.SplitSeq(body, "\n") {
		if best == "" {
			best = line
		}
		has := map[string]bool{}
		for _, w := range Words(line) {
			if slices.Contains(terms, w.Term) {
				has[w.Term] = true
			}
		}
		if len(has) > most {
			best, most = line, len(has)
		}
		if most == len(terms) {
			break
		}
	}
	best = strings.ToValidUTF8(best, "")
	if len(best) > mostSnippet {
		best = around(best, terms)
	}
	marks = [][2]int{}
	for _, w := range Words(best) {
		if slices.Contains(terms, w.Term) {
			marks = append(marks, [2]int{w.From, w.To})
		}
	}
	return best, marks
}

// around returns a part of a long sentence that starts a little before the first of some words.
func around(text string, terms []string) string {
	from := 0
	for _, w := range Words(text) {
		if slices.Contains(terms, w.Term) {
			from = max(w.From-mostSnippet/4, 0)
			break
		}
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	if blank := strings.IndexByte(text[from:], ' '); from > 0 && blank >= 0 &&
		blank < mostSnippet/8 {
		from += blank + 1
	}
	to := min(from+mostSnippet, len(text))
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return text[from:to]
}
