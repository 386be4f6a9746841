package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// DifferenceKinds lists what can be compared.
var DifferenceKinds = []string{"text", "main", "source"}

// DifferencePiece is a run of words or lines in both texts, or in one.
type DifferencePiece struct {
	Of   string `json:"of"` // equal, removed or added
	Text string `json:"text"`
}

// DifferenceVersion is one side of a comparison.
type DifferenceVersion struct {
	Time   time.Time `json:"t"`
	Status int       `json:"status"`
	Pieces int       `json:"pieces"`        // words or lines
	Cut    string    `json:"cut,omitempty"` // why the body is cut
	// Title and Dated come from inside a document, such as a PDF.
	Title string    `json:"title,omitempty"`
	Dated time.Time `json:"dated,omitzero"`
	// Unread is why the text of a document cannot be read; then its bytes are compared.
	Unread string `json:"unread,omitempty"`
}

// Difference is the difference between two captures of a page: in the visible text or main text
// word by word, or in the source line by line. It can be marshalled as JSON or shown as text.
//
// # Guarantees
//
//  1. Text and main text are those of --change text and main. They differ here if, and only if, the
//     page counted as changed.
//  2. Equal and removed pieces together are the older text, equal and added ones the newer.
//  3. A comparison takes at most 5 s. After that it may not be the shortest. Texts of more than a
//     million pieces are refused.
//
// Source: Myers, An O(ND) Difference Algorithm, implemented by sergi/go-diff.
type Difference struct {
	URL     string            `json:"url"`
	Kind    string            `json:"kind"` // text, main or source
	Old     DifferenceVersion `json:"old"`
	New     DifferenceVersion `json:"new"`
	Kept    int               `json:"kept"` // words or lines in both
	Removed int               `json:"removed"`
	Added   int               `json:"added"`
	Pieces  []DifferencePiece `json:"pieces"`
}

const (
	mostPieces   = 1_000_000
	longest      = 5 * time.Second
	mostCaptures = 1000
)

// Show shows documents other than HTML.
type Show = extract.Show

// Compare compares two captures of a page; see CapturesAt. Moments have 4 to 14 digits. show turns
// documents into texts; nil reads everything as HTML.
func Compare(ctx context.Context, r *Reader, url string, moments []string, kind string,
	now time.Time, show Show) (*Difference, error) {
	var at []time.Time
	for _, text := range moments {
		t, err := ParseStamp(text)
		if err != nil {
			return nil, err
		}
		at = append(at, t)
	}
	older, newer, err := CapturesAt(r, url, at, now)
	if err != nil {
		return nil, err
	}
	return compare(ctx, r, older, newer, kind, show)
}

// CapturesAt returns the two captures to compare: those nearest to the moments. Without a second
// moment it takes the last capture for it. Without any it takes the last one, and the latest before
// it with another body.
func CapturesAt(r *Reader, url string, moments []time.Time, now time.Time) (
	older, newer *Capture, err error) {
	nearest := func(at time.Time) (*Capture, error) {
		all, err := r.Of(url, at, mostCaptures)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(c *Capture) bool { return !hasPage(c) })
		if len(all) == 0 {
			return nil, fmt.Errorf("%s: %w", url, ErrNoPage)
		}
		best := all[0]
		for _, c := range all {
			if c.Time.Sub(at).Abs() <= best.Time.Sub(at).Abs() {
				best = c
			}
		}
		return best, nil
	}
	if len(moments) > 0 {
		if older, err = nearest(moments[0]); err != nil {
			return nil, nil, err
		}
	}
	if len(moments) > 1 {
		now = moments[1]
	}
	if newer, err = nearest(now); err != nil || older != nil {
		return older, newer, err
	}
	all, err := r.Of(url, now, mostCaptures)
	if err != nil {
		return nil, nil, err
	}
	body, err := r.Answer(newer)
	if err != nil {
		return nil, nil, err
	}
	older = newer
	for _, c := range slices.Backward(all) {
		if !hasPage(c) || c.MIME == Revisit || c.Time.After(newer.Time) {
			continue
		}
		before, err := r.Answer(c)
		if err != nil {
			return nil, nil, err
		}
		if older = c; string(before.Body) != string(body.Body) {
			break
		}
	}
	return older, newer, nil
}

// ErrNoPage is returned if there is nothing to compare.
var ErrNoPage = words.Hint(errors.New("the archive has no page with this URL"), replayShows,
	words.ExitMisuse)

func hasPage(c *Capture) bool {
	return c.Status == "200" || c.Status == "203" ||
		(c.Status == "304" || c.Status == "") && c.MIME == Revisit // which may have no header
}

// compare compares two captures.
func compare(ctx context.Context, r *Reader, older, newer *Capture, kind string,
	show Show) (*Difference, error) {
	result := &Difference{URL: newer.URL, Kind: kind, Pieces: []DifferencePiece{}}
	var texts [2][]string
	for i, c := range []*Capture{older, newer} {
		answer, err := r.Answer(c)
		if err != nil {
			return nil, err
		}
		body, bad := answer.Text(MostBody)
		if bad != nil && len(body) > 0 {
			answer.Cut = bad.Error() // compare the readable part
		} else if err = bad; err != nil {
			return nil, fmt.Errorf("capture of %s at %s: %w", c.URL, Stamp(c.Time), err)
		}
		shown := extract.Shown{Page: body, Type: answer.Get("Content-Type")}
		if show != nil && kind != "source" {
			if shown, err = show(ctx, c.URL, shown.Type, body); err != nil {
				return nil, err
			}
		}
		texts[i] = split(shown.Page, shown.Type, kind)
		if len(texts[i]) > mostPieces {
			return nil, fmt.Errorf("capture of %s at %s has more than %d words or lines",
				c.URL, Stamp(c.Time), mostPieces)
		}
		v := DifferenceVersion{Time: c.Time.UTC(), Status: answer.Status, Pieces: len(texts[i]),
			Cut: answer.Cut, Unread: shown.Unread}
		if shown.Document != nil {
			v.Title, v.Dated = shown.Document.Title, shown.Document.Date
		}
		if i == 0 {
			result.Old = v
		} else {
			result.New = v
		}
	}
	result.compare(texts[0], texts[1], longest)
	return result, nil
}

// split returns words or lines, each with the blank or line end after it.
func split(body []byte, contentType, kind string) []string {
	if kind == "source" {
		return slices.Collect(strings.Lines(strings.ToValidUTF8(string(body), "\uFFFD")))
	}
	return wordsOf(strings.ToValidUTF8(extract.Text(body, contentType, kind == "main"), "\uFFFD"))
}

func wordsOf(text string) []string {
	words := strings.Fields(text)
	for i := range words[:max(len(words)-1, 0)] {
		words[i] += " "
	}
	return words
}

// DifferenceOfWords compares two texts word by word, for about within at most. Kind and versions of
// the result have only the number of words.
func DifferenceOfWords(older, newer string, within time.Duration) *Difference {
	a, b := wordsOf(older), wordsOf(newer)
	r := &Difference{Old: DifferenceVersion{Pieces: len(a)}, New: DifferenceVersion{Pieces: len(b)},
		Pieces: []DifferencePiece{}}
	r.compare(a, b, within)
	return r
}

// compare finds the pieces.
func (r *Difference) compare(older, newer []string, within time.Duration) {
	// Each word is one character for the algorithm. Invalid characters are skipped.
	numbers := map[string]rune{}
	var words []string
	const firstSurrogate, surrogates = 0xd800, 0x800
	letters := func(text []string) []rune {
		letters := make([]rune, len(text))
		for i, word := range text {
			n, ok := numbers[word]
			if !ok {
				n = rune(len(words)) + 1
				words = append(words, word)
				if n >= firstSurrogate {
					n += surrogates
				}
				if n >= 0xfffd { // replacement of invalid characters
					n++
				}
				numbers[word] = n
			}
			letters[i] = n
		}
		return letters
	}
	wordOf := func(n rune) string {
		if n > 0xfffd {
			n--
		}
		if n >= firstSurrogate {
			n -= surrogates
		}
		return words[n-1]
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = within
	names := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffEqual: "equal",
		diffmatchpatch.DiffDelete: "removed", diffmatchpatch.DiffInsert: "added"}
	counts := map[diffmatchpatch.Operation]*int{diffmatchpatch.DiffEqual: &r.Kept,
		diffmatchpatch.DiffDelete: &r.Removed, diffmatchpatch.DiffInsert: &r.Added}
	for _, piece := range d.DiffMainRunes(letters(older), letters(newer), false) {
		var text strings.Builder
		for _, letter := range piece.Text {
			text.WriteString(wordOf(letter))
			*counts[piece.Type]++
		}
		r.Pieces = append(r.Pieces, DifferencePiece{names[piece.Type], text.String()})
	}
}
