package extract

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// queries returns an encoder for the queries of links, with the encoding that a form on the page
// would use. It is nil for UTF-8 and for encodings that are written as UTF-8 (WHATWG Encoding 4.3).
func queries(name string) *encoding.Encoder {
	switch name {
	case "utf-8", "utf-16le", "utf-16be", "replacement":
		return nil
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return e.NewEncoder()
}

// encodeQuery returns a URL as written, with its query percent-encoded in the encoding of the page
// (WHATWG URL 1.3 "percent-encode after encoding"). Its path stays in UTF-8. A nil encoder changes
// nothing.
func encodeQuery(ref string, to *encoding.Encoder) string {
	if to == nil {
		return ref
	}
	address, fragment, _ := strings.Cut(ref, "#")
	path, query, ok := strings.Cut(address, "?")
	if !ok || isASCII(query) {
		return ref
	}
	if len(address) == len(ref) { // otherwise blanks before the fragment belong to the query
		query = strings.TrimRight(query, controls)
	}
	query = ignored.Replace(query)
	b := make([]byte, 0, len(path)+2*len(query)+len(fragment)+2)
	b = append(append(b, path...), '?')
	b = appendQuery(b, query, to)
	if len(address) < len(ref) {
		b = append(append(b, '#'), fragment...)
	}
	return string(b)
}

// controls are trimmed from the ends of a URL.
const controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// ignored are characters that have no meaning within a URL.
var ignored = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// appendQuery appends an encoded query. A character that the encoding lacks becomes an escaped
// numeric reference.
func appendQuery(b []byte, query string, to *encoding.Encoder) []byte {
	to.Reset()
	encoded, err := to.String(query)
	if err != nil {
		var known strings.Builder
		for _, r := range query {
			to.Reset()
			if _, err := to.String(string(r)); err != nil {
				known.WriteString("%26%23" + strconv.Itoa(int(r)) + "%3B")
			} else {
				known.WriteRune(r)
			}
		}
		to.Reset()
		if encoded, err = to.String(known.String()); err != nil {
			return append(b, query...)
		}
	}
	const hex = "0123456789ABCDEF"
	for i := range len(encoded) {
		switch c := encoded[i]; {
		case c <= ' ' || c >= 0x7f || strings.IndexByte(`"#<>'`, c) >= 0:
			b = append(b, '%', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
