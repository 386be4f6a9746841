package present

import (
	"fmt"
	"io"

	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// CapturedText writes the result for people.
func CapturedText(r *recorded.CapturedHistories, w io.Writer) error {
	_, err := fmt.Fprintf(w, "Histories of %s written: %s in %s.\n",
		words.Plural(r.Servers, "server"),
		words.Plural(r.Versions, "version"), words.Plural(r.Pages, "page"))
	for _, f := range r.Files {
		if err == nil {
			err = CapturesText(f, w)
		}
	}
	if err == nil && len(r.Unlinked) > 0 {
		_, err = fmt.Fprintf(w, "%s without bodies, so without links: the top page of each links "+
			"to all its pages\n", words.Plural(len(r.Unlinked), "server"))
	}
	return err
}
