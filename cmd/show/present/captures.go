package present

import (
	"fmt"
	"io"

	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// CapturesText writes the result for people: a line, and one for each of the first mistakes.
func CapturesText(f *captures.File, w io.Writer) error {
	unit := "line"
	if f.Format == captures.WARC || f.Format == captures.WACZ {
		unit = "record"
	}
	what, bad := "", "damaged"
	if f.Format == captures.List {
		bad = "without an address"
	}
	captured, named := "captures of pages", "named addresses"
	if f.Captures == 1 {
		captured = "capture of a page"
	}
	if f.Listed == 1 {
		named = "named address"
	}
	for _, part := range []struct {
		n    int64
		what string
	}{{f.Captures, captured}, {f.WithBody, "with a body"}, {f.Listed, named},
		{f.NoPages, "no pages"},
		{f.NoNews, "that tell nothing of a page"}, {f.Elsewhen, "of another time"},
		{f.BadCount, bad}} {
		if part.n > 0 {
			what += fmt.Sprintf(", %s %s", words.Grouped(part.n), part.what)
		}
	}
	format := string(f.Format)
	if f.ARC {
		format = "ARC"
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s%s\n", f.Name, format, words.Plural(int(f.Read), unit),
		what)
	told := map[string]bool{}
	for _, l := range f.Left {
		if told[l.Kind] = true; err == nil {
			_, err = fmt.Fprintf(w, "  left out, %s: %s", l.Kind,
				words.Plural(int(l.Lines), "line"))
		}
		for _, m := range l.First {
			if err == nil {
				_, err = fmt.Fprintf(w, "; %s: %.100q", placeInFile(f, m.At), m.Text)
			}
		}
		if err == nil {
			_, err = fmt.Fprintln(w)
		}
	}
	for _, m := range f.Bad {
		if told[m.What] {
			continue
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "  %s: %s", placeInFile(f, m.At), m.What)
		}
		if err == nil && m.Text != "" {
			_, err = fmt.Fprintf(w, ": %.100q", m.Text)
		}
		if err == nil {
			_, err = fmt.Fprintln(w)
		}
	}
	if f.EndedHere != "" && err == nil {
		_, err = fmt.Fprintf(w, "  the rest could not be read: %s\n", f.EndedHere)
	}
	for _, url := range f.Sitemaps {
		if err == nil {
			_, err = fmt.Fprintf(w, "  this is an index: also import %s\n", url)
		}
	}
	return err
}

// placeInFile names the place of a mistake.
func placeInFile(f *captures.File, at int64) string {
	if f.Format == captures.WARC || f.Format == captures.WACZ {
		return fmt.Sprintf("octet %d", at)
	}
	return fmt.Sprintf("line %d", at)
}
