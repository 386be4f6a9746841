package report

import (
	"html"
	"strings"

	"github.com/rivo/uniseg"
)

// text escapes s for SVG and HTML.
func text(s string) string { return html.EscapeString(clean(s)) }

// clean replaces characters that XML cannot hold even escaped, and those that would control a
// terminal: control characters and invalid UTF-8. Addresses and titles from the web may have them.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t' || r == '\r':
			return ' '
		case r < ' ' || 0x7f <= r && r < 0xa0 || r == 0xfffe || r == 0xffff:
			return 0xfffd
		case 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069: // reading direction
			return 0xfffd
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// oneLine returns clean text without line breaks.
func oneLine(s string) string { return strings.ReplaceAll(clean(s), "\n", " ") }

// paragraphs splits a text at empty lines.
func paragraphs(s string) []string {
	var all []string
	for p := range strings.SplitSeq(clean(s), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// columns returns the width of s in a terminal: a CJK character takes two columns, a combining mark
// none.
func columns(s string) int { return uniseg.StringWidth(s) }

// FitLine returns a text as one line of at most columns columns of a terminal, and marks a cut.
func FitLine(s string, columns int) string { return shorten(s, columns) }

// shorten cuts s to a width and marks the cut.
func shorten(s string, width int) string {
	s = oneLine(s)
	if columns(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used += g.Width(); used > width-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return strings.TrimRight(b.String(), " ") + "…"
}
