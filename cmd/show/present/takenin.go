package present

import (
	"fmt"
	"io"

	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// EvidenceText writes the result for people.
func EvidenceText(r *captures.TakenIn, w io.Writer) error {
	n := func(n int64, what string) string { return words.Plural(int(n), what) }
	if _, err := fmt.Fprintf(w, "%s imported from %s: %d new, %d with past visits added.\n",
		n(r.Addresses, "page"), words.Plural(len(r.Files), "file"), r.New, r.Past); err != nil {
		return err
	}
	for _, f := range r.Files {
		if err := CapturesText(f, w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %d new, %d with past visits added, %d unchanged, %d left out because "+
		"they are gone or moved\n%s: %s, %d of %d comparisons; %d could not be compared\n",
		n(r.Addresses, "page"), r.New, r.Past, r.Kept, r.Left, n(r.Told.Visits, "past visit"),
		n(r.Told.Changes, "change"), r.Told.Changes, r.Told.Compared, r.Told.Uncertain)
	for _, a := range r.Asked {
		if err == nil {
			_, err = fmt.Fprintf(w, "  asked for %s: %s\n",
				words.Plural(int(a.Requests), "time"), a.URL)
		}
	}
	return err
}
