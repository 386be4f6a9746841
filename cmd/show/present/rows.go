package present

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/recrawl/recrawl/eval/tidy"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// RowsText writes the result for people.
func RowsText(e *tidy.Export, w io.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(e.Rows)) {
		_, err := fmt.Fprintf(w, "%s: %s\n", name, words.Plural(e.Rows[name], "row"))
		if err != nil {
			return err
		}
	}
	if e.Torn == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s of the journal could not be read; a crash may have torn them\n",
		words.Plural(e.Torn, "line"))
	return err
}
