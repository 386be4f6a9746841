package report

import (
	"io"
	"strings"
	"unicode"
)

// Table is a header and rows of text. Rows may be shorter than the header. A column
// whose cells are numbers (or "", "-", "–" for: undefined) is aligned to the right.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
	Note   string
	// PageOnly keeps a long table out of the terminal; printing tables there obeys it.
	PageOnly bool
}

// Text writes the table for a terminal, with no line drawing and no colours, so that it
// can be pasted and cut by columns.
func (t Table) Text(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(oneLine(t.Title) + "\n")
	}
	right, width := t.numeric(), t.widths()
	if len(t.Header) > 0 {
		writeRow(&b, t.Header, width, right)
		rule := make([]string, len(width))
		for i, n := range width {
			rule[i] = strings.Repeat("-", n)
		}
		writeRow(&b, rule, width, right)
	}
	for _, row := range t.Rows {
		writeRow(&b, row, width, right)
	}
	if t.Note != "" {
		b.WriteString(strings.TrimSpace(clean(t.Note)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRow(b *strings.Builder, row []string, width []int, right []bool) {
	var line strings.Builder
	for i := range width {
		cell := ""
		if i < len(row) {
			cell = oneLine(row[i])
		}
		pad := strings.Repeat(" ", width[i]-columns(cell))
		if i > 0 {
			line.WriteString("  ")
		}
		if right[i] {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

func (t Table) columnCount() int {
	n := len(t.Header)
	for _, row := range t.Rows {
		n = max(n, len(row))
	}
	return n
}

func (t Table) widths() []int {
	width := make([]int, t.columnCount())
	for i, cell := range t.Header {
		width[i] = max(width[i], columns(oneLine(cell)))
	}
	for _, row := range t.Rows {
		for i, cell := range row {
			width[i] = max(width[i], columns(oneLine(cell)))
		}
	}
	return width
}

// numeric says for each column whether it holds numbers: at least one, and nothing else
// but marks for undefined values.
func (t Table) numeric() []bool {
	all := make([]bool, t.columnCount())
	for i := range all {
		numbers := 0
		for _, row := range t.Rows {
			if i >= len(row) || isUndefined(row[i]) {
				continue
			}
			if !isNumber(row[i]) {
				numbers = 0
				break
			}
			numbers++
		}
		all[i] = numbers > 0
	}
	return all
}

func isUndefined(cell string) bool {
	switch strings.TrimSpace(cell) {
	case "", "-", "–", "—", "n/a", "NaN":
		return true
	}
	return false
}

// isNumber accepts a number with a sign, a unit or an interval ("-3.5", "12 %", "4 ms",
// "~ 10", "0.5 [0.4, 0.6]", "[0.4, 0.6]"), but not words that begin with one ("4 weeks").
func isNumber(cell string) bool {
	rest := strings.TrimLeft(strings.TrimSpace(cell), "[+-−±~<>≤≥ ")
	if rest == "" || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	letters := 0
	for _, r := range rest {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 3
}
