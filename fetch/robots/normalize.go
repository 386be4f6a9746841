package robots

import "strings"

// One form on both sides of a comparison (RFC 9309 2.2.2): octets that an address cannot
// carry are percent-encoded, percent-encoded unreserved octets are decoded, hexadecimal
// digits are upper case. '*' and '$' are special in patterns only; as themselves they are
// written %2A and %24 on both sides, so that no literal one is ever read as special.

// normalizeTarget brings a path with query into the form of comparison.
func normalizeTarget(s string) string { return normalize(s, true) }

// normalizePattern brings a rule's value into the form of comparison, its wildcards kept.
// It starts with a slash or a star.
func normalizePattern(s string) string {
	anchored := strings.HasSuffix(s, "$")
	s = strings.TrimSuffix(s, "$")
	var b strings.Builder
	if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "*") {
		b.WriteByte('/') // "disallow: private/" is meant, if wrong; the polite reading
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
		default: // also a '%' that escapes nothing, as in canonical addresses
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// kept are the octets that stand for themselves: RFC 3986's reserved and unreserved ones
// but for '%', '#' and the two special ones.
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
