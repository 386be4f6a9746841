package captures

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// ErrUnread is returned for a known format that import does not read.
var ErrUnread = words.Hint(errors.New("import does not read it"),
	"import reads "+FormatNames()+"; --format says which, if it is one of them",
	words.ExitMisuse)

// magic are the first octets of formats that import does not read.
var magic = []struct{ begin, what string }{
	{"7z\xbc\xaf", "a 7z archive: unpack it before"},
	{"%PDF-", "a PDF document"},
	{"SQLite format 3\x00", "an SQLite database, perhaps of a browser"},
}

// unread are the first words of text formats that import does not read.
var unread = []struct {
	begin *regexp.Regexp
	what  string
}{
	{regexp.MustCompile(
		`^PK\x03\x04(?s:.){26}(\[Content_Types\]\.xml|_rels/|mimetypeapplication/vnd\.oasis)`),
		"an office document: save its addresses as CSV"},
	{regexp.MustCompile(`(?i)^\s*(<\?xml[^>]*>\s*)?(<!--(?s:.*?)-->\s*)?<opml`),
		"OPML, a list of feeds: give the addresses of its feeds to run"},
	{regexp.MustCompile(`(?i)^\s*<!doctype netscape-bookmark`),
		"bookmarks of a browser (Netscape HTML): write their addresses to a list"},
	{regexp.MustCompile(`(?i)^\s*(<!doctype html|<html)`), "an HTML page"},
	{regexp.MustCompile(`^\s*\{[^\n]*\}\s*\n\s*\{`),
		"JSON lines: write their addresses to a list"},
	{regexp.MustCompile(`^\s*\[[ \t]*["{]`),
		"a JSON array: write its addresses to a list, one a line"},
}

// refuse returns an error for a file in a format that import does not read.
func refuse(head []byte) error {
	head = bytes.TrimPrefix(head[:min(len(head), 8<<10)], []byte("\xef\xbb\xbf"))
	what := ""
	for _, b := range magic {
		if bytes.HasPrefix(head, []byte(b.begin)) {
			what = b.what
		}
	}
	for _, u := range unread {
		if what == "" && u.begin.Match(head) {
			what = u.what
		}
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("%w: it is %s", ErrUnread, what)
}

// decoded returns a reader in UTF-8 for a text that starts in UTF-16, with a mark or without.
func decoded(head []byte, r io.Reader) (io.Reader, bool) {
	if len(head) < 2 {
		return r, false
	}
	order := unicode.BigEndian
	switch {
	case head[0] == 0xfe && head[1] == 0xff, head[0] == 0 && head[1] != 0:
	case head[0] == 0xff && head[1] == 0xfe, head[0] != 0 && head[1] == 0:
		order = unicode.LittleEndian
	default:
		return r, false
	}
	return transform.NewReader(r, unicode.UTF16(order, unicode.UseBOM).NewDecoder()), true
}
