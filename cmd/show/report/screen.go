package report

import (
	"bufio"
	"io"
	"strings"
)

// Screen is a buffered writer with a width. Tables and texts that are written to it are fitted to
// the width. It is for one goroutine.
type Screen struct {
	*bufio.Writer
	Width  int  // columns; 0: lines have any length
	Colour bool // headings are bold, warnings coloured; only for terminals
	Wide   bool // every column and every line stays whole
}

// UsualWidth is the width of lines if no other width is known.
const UsualWidth = 100

// NewScreen returns a screen for a terminal of a width, or for a file or pipe (0, false).
func NewScreen(w io.Writer, width int, colour bool) *Screen {
	return &Screen{Writer: bufio.NewWriter(w), Width: width, Colour: colour}
}

// Style is an escape sequence of terminals that changes how letters look.
type Style string

const (
	Bold   Style = "\x1b[1m"
	Faint  Style = "\x1b[2m"
	Red    Style = "\x1b[31m"
	Green  Style = "\x1b[32m"
	Yellow Style = "\x1b[33m"

	plain = "\x1b[0m"
)

// Paint returns text in a style, or unchanged on a screen without colours.
func (s *Screen) Paint(style Style, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return string(style) + text + plain
}

// Say writes sentences, broken at blanks to fit, and bold if there are colours.
func (s *Screen) Say(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSpace(clean(text)), "\n") {
		for _, part := range wrap(line, s.Width) {
			_, _ = s.WriteString(s.Paint(Bold, part) + "\n") // an error lasts until Flush
		}
	}
}

// Wrap breaks a line at blanks into parts of at most width columns, and returns them with line
// breaks. A wider word stays whole; 0 is no bound.
func Wrap(line string, width int) string { return strings.Join(wrap(line, width), "\n") }

// wrap breaks a line at blanks into parts of at most width columns; 0 is no bound. A wider word
// stays whole.
func wrap(line string, width int) []string {
	if width <= 0 || columns(line) <= width {
		return []string{line}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var parts []string
	part := ""
	for word := range strings.FieldsSeq(line) {
		switch {
		case part == "":
			part = indent + word
		case columns(part)+1+columns(word) > width:
			parts = append(parts, part)
			part = indent + word
		default:
			part += " " + word
		}
	}
	return append(parts, part)
}
