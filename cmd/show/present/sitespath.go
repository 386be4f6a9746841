package present

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
)

// path returns the address of a page for a reader. It leaves out scheme and server, which are the
// same for nearly all pages of a server, and decodes letters that are percent-escaped.
func path(d *eval.Division, p sitegraph.PageID) string {
	address := d.Source.Graph.URL(p)
	if _, rest, ok := strings.Cut(address, "://"+d.Result.Server); ok {
		address = rest
	}
	return readable(address)
}

// escapes matches runs of percent-escaped bytes beyond ASCII.
var escapes = regexp.MustCompile(`(?:%[89A-Fa-f][0-9A-Fa-f])+`)

// readable decodes percent-escaped letters beyond ASCII. Characters that could mislead a reader or
// control a terminal stay escaped.
func readable(address string) string {
	return escapes.ReplaceAllStringFunc(address, func(run string) string {
		plain, err := url.PathUnescape(run)
		odd := func(r rune) bool {
			return r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P)
		}
		if err != nil || strings.ContainsFunc(plain, odd) {
			return run
		}
		return plain
	})
}
