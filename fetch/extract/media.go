package extract

import "strings"

// IsHTML reports whether a Content-Type is that of HTML or XHTML, in whatever form servers write
// it.
func IsHTML(contentType string) bool {
	kind := MediaType(contentType)
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// MediaType is what a Content-Type says, in lower case without its parameters. Of several types the
// last one holds (WHATWG Fetch 3.1). "": it names none, or any.
func MediaType(contentType string) (kind string) {
	for one := range strings.SplitSeq(contentType, ",") {
		one = strings.TrimLeft(one, " \t\r\n\f\"'")
		slash := tokenLen(one)
		if slash == 0 || slash == len(one) || one[slash] != '/' {
			continue
		}
		if n := tokenLen(one[slash+1:]); n > 0 && one[:slash+1+n] != "*/*" {
			kind = one[:slash+1+n]
		}
	}
	return strings.ToLower(kind)
}

// tokenLen is the length of the token that a text begins with (RFC 9110 5.6.2).
func tokenLen(text string) int {
	for i := range len(text) {
		c := text[i]
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !isLetter && strings.IndexByte("!#$%&*+-.^_`|~", c) < 0 {
			return i
		}
	}
	return len(text)
}
