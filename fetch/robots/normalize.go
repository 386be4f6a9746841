package robots

import "strings"

// Patterns and targets are compared in one form (RFC 9309 2.2.2): octets that a URL cannot contain
// are percent-encoded, encoded unreserved octets are decoded, hexadecimal digits are in upper case.
// '*' and '$' are special in patterns only. Literal ones are written %2A and %24 in both, so that
// they are never read as special.

// normalizeTarget brings a path with query into the form for comparison.
func normalizeTarget(s string) string { return normalize(s, true) }

// normalizePattern brings the value of a rule into the form for comparison, and keeps its
// wildcards. It starts with a slash or a star.
func normalizePattern(s string) string {
	anchored := strings.HasSuffix(s, "$")
	s = strings.TrimSuffix(s, "$")
	var b strings.Builder
	if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "*") {
		b.WriteByte('/') // "disallow: private/" is a mistake; this is the polite reading
	}
	for i, part := range strings.Split(s, "*") {
		if i > 0 {
			b.WriteByte('*')
		}
		b.WriteString(normalize(part, false))
	}
	if anchored {
		b.WriteByte('$')
	}
	return b.String()
}

func normalize(s string, star bool) string {
	i := 0
	for i < len(s) && kept[s[i]] {
		i++
	}
	if i == len(s) {
		return s
	}
	const hex = "0123456789ABCDEF"
	b := make([]byte, i, len(s)+16)
	copy(b, s)
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if isUnreserved(c) {
				b = append(b, c)
			} else {
				b = append(b, '%', hex[c>>4], hex[c&15])
			}
		case kept[c]:
			b = append(b, c)
		case c == '*' && !star:
			b = append(b, c)
		default: // also a '%' without an escape, as in canonical URLs
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// kept are the octets that stay unchanged: reserved and unreserved ones of RFC 3986, except '%',
// '#' and the two special ones.
var kept = func() (t [256]bool) {
	for c := range 256 {
		t[c] = isUnreserved(byte(c))
	}
	for _, c := range []byte("/?:@!&'()+,;=[]") {
		t[c] = true
	}
	return t
}()

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
