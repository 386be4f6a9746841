package extract

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// toUTF8 returns the page as UTF-8, and the name of what it was in. A byte order mark
// decides, then the header, then a <meta> in the first 1,024 octets (WHATWG encoding).
// Nothing is guessed from the frequency of letters: that costs more than all the rest.
// What says nothing, or says Latin without authority, and is valid UTF-8 is UTF-8.
func toUTF8(body []byte, contentType string) (text []byte, name string) {
	encoding, name := encodingOf(body, contentType)
	if name == "utf-8" {
		return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), name
	}
	text, err := encoding.NewDecoder().Bytes(body)
	if err != nil { // decoders replace what they cannot read; the rest is kept if one does not
		return body, name
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), name
}

// encodingOf is the encoding of a page, by its header and its beginning. Where neither says
// anything, and the page is valid UTF-8, it is UTF-8.
func encodingOf(body []byte, contentType string) (encoding.Encoding, string) {
	e, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "windows-1252" && !certain && utf8.Valid(body) {
		name = "utf-8"
	}
	return e, name
}
