package report

import (
	"io"
	"slices"
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
	// Marks are styles of cells with such a word, for terminals with colours.
	Marks map[string]Style
	// Spare are columns that may be left out if the table is too wide, the first of them first.
	Spare []int
	// Best are the best rows, and BestBy says by what. They are marked.
	Best   []int
	BestBy string
}

// Text writes the table for a terminal, without line drawing, so that it can be pasted and cut by
// columns.
//
// On a Screen the table is fitted to the width. Texts take several lines, and single words lose
// their middle; numbers stay whole. Columns that do not fit are left out, and a line names them.
// Headings may be bold.
//
// Elsewhere cells are whole, and spare columns are left out if a line would exceed UsualWidth.
func (t Table) Text(w io.Writer) error {
	screen, ok := w.(*Screen)
	if !ok {
		screen = &Screen{}
	}
	var b strings.Builder
	t, left := t.without(screen)
	if t.Title != "" {
		for _, line := range wrap(oneLine(t.Title), screen.Width) {
			b.WriteString(screen.Paint(Bold, line) + "\n")
		}
	}
	right := t.numeric()
	width := t.fit(screen.Width, right)
	if len(t.Header) > 0 {
		writeRow(&b, t.Header, width, right, plainly)
		rule := make([]string, len(width))
		for i, n := range width {
			rule[i] = strings.Repeat("-", n)
		}
		b.WriteString(screen.Paint(Faint, strings.Join(rule, strings.Repeat(" ", gap))) + "\n")
	}
	mark := func(cell, shown string) string {
		if style, ok := t.Marks[cell]; ok {
			return screen.Paint(style, shown)
		}
		return shown
	}
	bold := func(_, shown string) string { return screen.Paint(Bold, shown) }
	for i, row := range t.Rows {
		if slices.Contains(t.Best, i) {
			writeRow(&b, row, width, right, bold)
		} else {
			writeRow(&b, row, width, right, mark)
		}
	}
	notes := []string{t.Note}
	if t.BestBy != "" && len(t.Best) > 0 {
		notes = append([]string{bestMark + " " + t.BestBy}, notes...)
	}
	if len(left) > 0 {
		notes = append(notes, "Left out for want of room: "+strings.Join(left, "; ")+
			". --wide shows all.")
	}
	for _, note := range notes {
		if note = strings.TrimSpace(clean(note)); note == "" {
			continue
		}
		for line := range strings.SplitSeq(note, "\n") {
			b.WriteString(strings.Join(wrap(line, screen.Width), "\n") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func plainly(_, shown string) string { return shown }

// writeRow writes the cells of a row, in as many lines as the longest needs. mark puts a cell into
// a style, which takes no room.
func writeRow(b *strings.Builder, row []string, width []int, right []bool,
	mark func(cell, shown string) string) {
	cells := make([][]string, len(width))
	height := 1
	for i := range min(len(row), len(width)) {
		cells[i] = cellLines(row[i], width[i])
		height = max(height, len(cells[i]))
	}
	for n := range height {
		var line strings.Builder
		for i := range width {
			cell := ""
			if n < len(cells[i]) {
				cell = cells[i][n]
			}
			pad := strings.Repeat(" ", max(0, width[i]-columns(cell)))
			if i > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			if i < len(row) && cell != "" {
				cell = mark(row[i], cell)
			}
			if right[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
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

// numeric reports for each column whether it has numbers: at least one, and else only marks for
// undefined values.
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

// isNumber reports whether a cell is a number, with a sign, a unit or an interval ("-3.5", "12 %",
// "4 ms", "~ 10", "0.5 [0.4, 0.6]", "[0.4, 0.6]"). Words that begin with a number ("4 weeks") are
// not.
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
