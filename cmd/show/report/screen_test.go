package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func wideTable() Table {
	return Table{Title: "The next visits, which is a title that is longer than some terminals " +
		"are wide",
		Header: []string{"#", "p(changed)", "page", "reason", "limits: used of granted"},
		Rows: [][]string{
			{"1", "0.998", "http://www.granite-craft.co.example/a/very/long/path/to/some/page/of/it/index.html", "5.3 changes of its own expected since its last visit", "1/day: 3 of 500"},
			{"1,234", "0.5 [0.4, 0.6]", "http://b.example/", "new", "-"},
		}, Note: "The last page that fits is worth 0.05 expected changes, by weight, and none else."}
}

func onScreen(t *testing.T, table Table, width int, colour bool) string {
	t.Helper()
	var b bytes.Buffer
	s := NewScreen(&b, width, colour)
	if err := table.Text(s); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTablesFit: on a screen no line is wider than the screen, all numbers and words are there, and
// an address keeps its ends. Elsewhere lines are whole.
func TestTablesFit(t *testing.T) {
	plainText := render(t, wideTable().Text)
	for _, width := range []int{79, 100, 120} {
		text := onScreen(t, wideTable(), width, false)
		for line := range strings.Lines(text) {
			if n := columns(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
		for _, want := range []string{"0.5 [0.4, 0.6]", "1,234", "0.998", "http://w", "ml", "…",
			"visit"} {
			if !strings.Contains(text, want) {
				t.Errorf("width %d: no %q in\n%s", width, want, text)
			}
		}
	}
	if got := onScreen(t, wideTable(), 0, false); got != plainText {
		t.Errorf("without a width\n%s\nwant\n%s", got, plainText)
	}
	if strings.Contains(plainText, "…") || strings.Contains(plainText, "\x1b") {
		t.Errorf("a pipe gets less than all, or colours:\n%s", plainText)
	}
}

// TestNumbersStay: numbers are never cut, however narrow the terminal.
func TestNumbersStay(t *testing.T) {
	table := Table{Header: []string{"first", "second"},
		Rows: [][]string{{"123456789012", "-9876543210 %"}, {"1", "2"}}}
	if got := onScreen(t, table, 10, false); got != onScreen(t, table, 0, false) {
		t.Errorf("numbers gave way:\n%s", got)
	}
}

// TestColours: colours take no room, and appear only if wanted.
func TestColours(t *testing.T) {
	table := Table{Title: "T", Header: []string{"result", "n"},
		Rows: [][]string{{"ok", "1"}, {"fail", "22"}}, Marks: map[string]Style{"fail": Red}}
	coloured := onScreen(t, table, 40, true)
	if !strings.Contains(coloured, "\x1b[31mfail\x1b[0m    22\n") {
		t.Errorf("no colour, or no place for it: %q", coloured)
	}
	bare := strings.NewReplacer(string(Bold), "", string(Faint), "", string(Red), "", plain,
		"").Replace(coloured)
	if want := render(t, table.Text); bare != want {
		t.Errorf("%q, want %q", bare, want)
	}
}

func TestSay(t *testing.T) {
	var b bytes.Buffer
	s := NewScreen(&b, 20, true)
	s.Say("A sentence that is longer than the screen.\nAnother.")
	s.Say("")
	_ = s.Flush()
	want := "\x1b[1mA sentence that is\x1b[0m\n\x1b[1mlonger than " +
		"the\x1b[0m\n\x1b[1mscreen.\x1b[0m\n\x1b[1mAnother.\x1b[0m\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestWithoutMiddle(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abcdefghij", 10, "abcdefghij"},
		{"abcdefghij", 5, "ab…ij"},
		{"abcdefghij", 6, "abc…ij"},
		{"方策方策方策", 7, "方…策"},
		{"abc", 2, "abc"},
	} {
		got := withoutMiddle(c.text, c.width)
		if columns(got) > max(c.width, 3) || c.text != "方策方策方策" && got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// FuzzFit: a table of any text on a screen of any width keeps its words in order, except for words
// that lose their middle.
func FuzzFit(f *testing.F) {
	f.Add("http://a.example/a/b/c", "some words of a text", 30)
	f.Add("方策 <b>", "0.5 [0.4, 0.6]", 3)
	f.Fuzz(func(t *testing.T, a, b string, width int) {
		width %= 200
		a, b = strings.TrimSpace(a), strings.TrimSpace(b)
		table := Table{Header: []string{"one", "two"}, Rows: [][]string{{a, b}}}
		text := onScreen(t, table, width, false)
		if !utf8.ValidString(text) {
			t.Errorf("%q", text)
		}
		for _, word := range append(strings.Fields(oneLine(a)), strings.Fields(oneLine(b))...) {
			if columns(word) <= leastColumn && columns(word) > 0 && !strings.Contains(text, word) {
				t.Errorf("%q is not in %q", word, text)
			}
		}
	})
}
