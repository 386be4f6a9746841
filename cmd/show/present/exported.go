package present

import (
	"fmt"
	"io"
	"slices"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// ArchiveText writes for people what was exported.
func ArchiveText(r *archive.Exported, w io.Writer) error {
	text := fmt.Sprintf("Exported %s, %d bytes", words.Plural(r.Files, "WARC file"), r.Bytes)
	if r.Captures > 0 {
		text += "; " + words.Plural(r.Captures, "capture") + " in the index"
	}
	if r.Unplaced > 0 {
		text += "; " + words.Plural(r.Unplaced, "capture") + " left out of the index, because " +
			"other records share their gzip member"
	}
	if r.Pages > 0 {
		text += ", " + words.Plural(r.Pages, "page") + " listed"
	}
	_, err := fmt.Fprintln(w, text+".")
	for _, path := range r.Made {
		if slices.Contains(r.Replaced, path) {
			path += " (replaced)"
		}
		if err == nil {
			_, err = fmt.Fprintln(w, path)
		}
	}
	return err
}
