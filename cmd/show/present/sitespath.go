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

// path is a page's address for a reader: without scheme and server, which are the same for
// all pages of a server but for a few that mix http and https, and with letters for the
// octets that stand for them.
func path(d *eval.Division, p sitegraph.PageID) string {
	address := d.Source.Graph.URL(p)
	if _, rest, ok := strings.Cut(address, "://"+d.Result.Server); ok {
		address = rest
	}
	return readable(address)
}

// escapes is a run of octets that are no ASCII.
var escapes = regexp.MustCompile(`(?:%[89A-Fa-f][0-9A-Fa-f])+`)

// readable undoes percent-escapes of letters beyond ASCII; whatever could mislead a reader
// or steer a terminal stays escaped.
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
