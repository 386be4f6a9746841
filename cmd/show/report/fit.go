package report

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// leastColumn is the width to which columns of text may be shortened.
const leastColumn = 14

// fit returns widths of columns such that a row takes at most bound columns of a terminal, if
// possible; 0: no bound. Numbers keep their width. Texts become narrower, the widest first, and
// headings take several lines.
func (t Table) fit(bound int, right []bool) []int {
	width := t.widths()
	if bound <= 0 {
		return width
	}
	total := lineWidth(width)
	least := make([]int, len(width))
	for i := range width {
		least[i] = t.leastWidth(i, right[i])
	}
	for total > bound {
		widest := -1
		for i, n := range width {
			if n > least[i] && (widest < 0 || n > width[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return width // the numbers are wider than the terminal
		}
		width[widest]--
		total--
	}
	return width
}

// bestMark follows the first cell of a row that is best.
const bestMark = "*"

// without returns the table with its best rows marked, without the columns that do not fit, and the
// headings of these. Without a known width of the screen it leaves out only spare columns.
func (t Table) without(s *Screen) (_ Table, left []string) {
	t.Rows = slices.Clone(t.Rows)
	for _, i := range t.Best {
		if i < len(t.Rows) && len(t.Rows[i]) > 0 {
			t.Rows[i] = slices.Clone(t.Rows[i])
			t.Rows[i][0] += " " + bestMark
		}
	}
	if s.Wide {
		return t, nil
	}
	bound := s.Width
	if bound == 0 {
		bound = UsualWidth
	}
	gone := map[int]bool{}
	fits := func(t Table) bool {
		return lineWidth(t.fit(s.Width, t.numeric())) <= bound
	}
	spare := slices.Clone(t.Spare)
	if s.Width > 0 { // then the last of the others, but at least two stay
		for i := t.columnCount() - 1; i > 1; i-- {
			if !slices.Contains(spare, i) {
				spare = append(spare, i)
			}
		}
	}
	kept := t
	for _, column := range spare {
		if fits(kept) {
			break
		}
		gone[column] = true
		kept = t
		kept.Header, kept.Rows = removed(t.Header, gone), nil
		for _, row := range t.Rows {
			kept.Rows = append(kept.Rows, removed(row, gone))
		}
	}
	for i, name := range t.Header {
		if gone[i] && name != "" {
			left = append(left, name)
		}
	}
	return kept, left
}

// removed returns a row without some cells.
func removed(row []string, gone map[int]bool) (kept []string) {
	for i, cell := range row {
		if !gone[i] {
			kept = append(kept, cell)
		}
	}
	return kept
}

// gap is the number of blanks between columns.
const gap = 2

// lineWidth returns the width of a line of cells of these widths.
func lineWidth(width []int) int {
	total := gap * (len(width) - 1)
	for _, n := range width {
		total += n
	}
	return total
}

// leastWidth returns the least width of a column: the width of its widest number and of the longest
// word of its heading, and leastColumn for texts.
func (t Table) leastWidth(i int, number bool) int {
	least, longest := 0, 0
	for _, row := range t.Rows {
		if i >= len(row) {
			continue
		}
		cell := oneLine(row[i])
		longest = max(longest, columns(cell))
		if number || isNumber(cell) {
			least = max(least, columns(cell))
		}
	}
	least = max(least, min(longest, leastColumn))
	if i < len(t.Header) {
		for word := range strings.FieldsSeq(t.Header[i]) {
			least = max(least, columns(oneLine(word)))
		}
	}
	return least
}

// cellLines breaks a cell between words into lines of at most a width. A wider word, such as an
// address, loses its middle.
func cellLines(cell string, width int) []string {
	cell = oneLine(cell)
	if columns(cell) <= width {
		return []string{cell}
	}
	lines := wrap(cell, width)
	for i, line := range lines {
		lines[i] = withoutMiddle(line, width)
	}
	return lines
}

// withoutMiddle cuts the middle out of a text that is wider than a width, and marks the cut. An
// address keeps its server and the end of its path, by which readers know it.
func withoutMiddle(s string, width int) string {
	if columns(s) <= width || width < 3 {
		return s
	}
	var clusters []string
	for g := uniseg.NewGraphemes(s); g.Next(); {
		clusters = append(clusters, g.Str())
	}
	first, last, used := 0, len(clusters), 1 // the mark
	for first < last {
		next := &first
		take := clusters[first]
		if first > len(clusters)-last { // both ends in turn, the first end first
			take, next = clusters[last-1], &last
		}
		if used += columns(take); used > width {
			break
		}
		if next == &first {
			first++
		} else {
			last--
		}
	}
	return strings.Join(clusters[:first], "") + "…" + strings.Join(clusters[last:], "")
}
