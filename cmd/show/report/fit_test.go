package report

import (
	"slices"
	"strings"
	"testing"
)

func manyColumns(best ...int) Table {
	t := Table{Header: []string{"policy", "fetched"}, Spare: []int{3, 1}, Best: best,
		BestBy: "finds most", Note: strings.Repeat("word ", 30)}
	for i := range 14 {
		t.Header = append(t.Header, strings.Repeat("h", 6)+string(rune('a'+i)))
	}
	for _, name := range []string{"one", "two", "three"} {
		row := []string{name}
		for range len(t.Header) - 1 {
			row = append(row, "1234567")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// TestColumnsLeftOut: columns that do not fit are left out, spare ones first, then the last. The
// text names them, and the way to see all. Outside a screen only spare columns are left out.
func TestColumnsLeftOut(t *testing.T) {
	for _, width := range []int{60, 100, 130} {
		text := onScreen(t, manyColumns(), width, false)
		for line := range strings.Lines(text) {
			if n := columns(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
		if !strings.Contains(text, "Left out for want of room: ") ||
			!strings.Contains(text, "--wide") || strings.Contains(strings.Split(text, "\n")[0],
			"hhhhhhb") {
			t.Errorf("width %d:\n%s", width, text)
		}
	}
	if text := onScreen(t, manyColumns(), 150, false); strings.Contains(text, "Left out") {
		t.Errorf("all fit, and are left out:\n%s", text)
	}
	var b strings.Builder
	if err := manyColumns().Text(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "room: fetched; hhhhhhb. --wide") {
		t.Errorf("in a pipe:\n%s", got)
	}
	s := NewScreen(&b, 0, false)
	s.Wide = true
	b.Reset()
	if err := manyColumns().Text(s); err != nil {
		t.Fatal(err)
	}
	s.Flush()
	if got := b.String(); strings.Contains(got, "Left out") || !strings.Contains(got, "hhhhhhn") {
		t.Errorf("wide:\n%s", got)
	}
}

// TestBestRows: the best rows are marked, and bold in colours. The text names what they are best
// by.
func TestBestRows(t *testing.T) {
	table := manyColumns(0, 2)
	text := onScreen(t, table, 100, false)
	lines := strings.Split(text, "\n")
	marked := func(name string) bool {
		return slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, name+" * ")
		})
	}
	if !marked("one") || marked("two") || !marked("three") ||
		!strings.Contains(text, "* finds most") {
		t.Errorf("marks:\n%s", text)
	}
	if coloured := onScreen(t, table, 100, true); !strings.Contains(coloured,
		string(Bold)+"one *"+plain) || strings.Contains(coloured, string(Bold)+"two") {
		t.Errorf("in colours:\n%q", coloured)
	}
	if table.Rows[0][0] != "one" {
		t.Error("the table was changed")
	}
	if text := onScreen(t, manyColumns(), 100, false); strings.Contains(text, "*") {
		t.Errorf("nothing is best, and is marked:\n%s", text)
	}
}
