package extract

import "strings"

// IsHTML reports whether a Content-Type is HTML or XHTML, in any spelling of servers.
func IsHTML(contentType string) bool {
	kind := MediaType(contentType)
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// MediaType returns the type in a Content-Type, in lower case without parameters. Of several types
// the last one counts (WHATWG Fetch 3.1). It returns "" for none, or for any type.
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

// tokenLen returns the length of the token at the start of a text (RFC 9110 5.6.2).
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
