package inside

import (
	"fmt"
	"io"
	"strings"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// besideWords is how many words or lines are shown on each side of a difference.
const besideWords = 8

// DifferenceText writes what differs, a line a piece: removed ones begin with "-", added ones with
// "+".
func DifferenceText(r *archive.Difference, w io.Writer) error {
	var b strings.Builder
	unit := "word"
	if r.Kind == "source" {
		unit = "line"
	}
	fmt.Fprintln(&b, differenceFinding(r, unit))
	for _, v := range []struct {
		mark string
		archive.DifferenceVersion
	}{{"---", r.Old}, {"+++", r.New}} {
		fmt.Fprintf(&b, "%s %s  status %d, %s", v.mark, v.Time.Format("2006-01-02 15:04:05 MST"),
			v.Status, words.Plural(v.DifferenceVersion.Pieces, unit))
		if v.Cut != "" {
			fmt.Fprintf(&b, ", cut: %s", v.Cut)
		}
		if !v.Dated.IsZero() {
			fmt.Fprintf(&b, ", dated %s", v.Dated.Format("2006-01-02 15:04:05 MST"))
		}
		b.WriteByte('\n')
		if v.Title != "" {
			lines(&b, v.mark+" ", v.Title)
		}
		if v.Unread != "" {
			lines(&b, v.mark+" its text cannot be read: ", v.Unread)
		}
	}
	for i, p := range r.Pieces {
		switch p.Of {
		case "removed":
			lines(&b, "-", p.Text)
		case "added":
			lines(&b, "+", p.Text)
		default:
			lines(&b, " ", near(p.Text, i > 0, i < len(r.Pieces)-1, r.Kind == "source"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// differenceFinding says in a sentence how much differs.
func differenceFinding(r *archive.Difference, unit string) string {
	of := map[string]string{"main": "main text", "text": "text", "source": "source"}[r.Kind]
	if r.Removed+r.Added == 0 {
		return fmt.Sprintf("The %s is the same in both captures: %s.",
			of, words.Plural(r.Kept, unit))
	}
	return fmt.Sprintf("The %s differs: %s removed, %d added, %d kept.",
		of, words.Plural(r.Removed, unit), r.Added, r.Kept)
}

// lines writes a piece with a mark before each of its lines. It leaves out control characters,
// which would reach the terminal.
func lines(b *strings.Builder, mark, text string) {
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e ||
				r >= 0x2066 && r <= 0x2069 {
				return -1
			}
			return r
		}, strings.TrimRight(line, " \r\n")) + "\n")
	}
}

// near keeps the part of an equal piece beside a difference: after one, before one, or both.
func near(text string, behind, before, byLine bool) string {
	pieces := strings.SplitAfter(text, " ")
	gap := "... "
	if byLine {
		pieces, gap = strings.SplitAfter(text, "\n"), "...\n"
	}
	if !behind && !before {
		return ""
	}
	first, last := 0, 0
	if behind {
		first = besideWords
	}
	if before {
		last = besideWords
	}
	if len(pieces) <= first+last+1 {
		return text
	}
	return strings.Join(pieces[:first], "") + gap + strings.Join(pieces[len(pieces)-last:], "")
}
