package present

import (
	"fmt"
	"io"

	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// RecordedText writes the result for people.
func RecordedText(e *recorded.Export, w io.Writer) error {
	_, err := fmt.Fprintf(w, "Histories of %s written to %s: %s of %s.\n",
		words.Plural(e.Servers, "server"),
		e.Dir, words.Plural(e.Versions, "version"), words.Plural(e.Pages, "page"))
	if err == nil && e.Torn > 0 {
		_, err = fmt.Fprintf(w, "%s of the journal could not be read; a crash may have torn them\n",
			words.Plural(e.Torn, "line"))
	}
	return err
}
