package sitegraph

import (
	"errors"
	"fmt"
	"strings"
)

// MaxURLBytes is the length of the longest canonical address. Longer ones are session traps far
// more often than pages, and each takes its length in every index.
const MaxURLBytes = 2048

// maxRawBytes bounds the text that is parsed. A canonical address may be shorter than its text (a
// fragment, tabs, dot segments), but not by this much in honest use.
const maxRawBytes = 8 * MaxURLBytes

var (
	// ErrNotWeb reports another scheme than http and https.
	ErrNotWeb = errors.New("only http and https are crawled")
	// ErrTooLong reports that an address, or its text, is too long to be kept.
	ErrTooLong = errors.New("too long")

	errLong    = fmt.Errorf("%w: longer than %d octets", ErrTooLong, MaxURLBytes)
	errRawLong = fmt.Errorf("%w: text longer than %d octets", ErrTooLong, maxRawBytes)
)

// Canonical returns the canonical form of an absolute address. It is the address that a browser
// would request (WHATWG URL Standard), under the rules of RFC 3986 6.2 that keep the meaning. Only
// http and https are allowed. It has a lower-case host without a final dot; no default port, user
// information, fragment or empty query; no dot segments; an empty path is "/". Percent-escapes are
// in upper case, unreserved bytes are unescaped, and bytes that RFC 3986 allows nowhere are escaped
// (also a "%" without two hexadecimal digits). The order of a query is kept.
// Canonical(Canonical(x)) is Canonical(x).
//
// The result may share memory with raw. The error names the address and the reason, such as
// ErrNotWeb or ErrTooLong.
func Canonical(raw string) (string, error) {
	if url, ok := fastAbsolute(raw); ok {
		return url, nil
	}
	return canonicalSlow(raw)
}

func canonicalSlow(raw string) (string, error) {
	if len(raw) > maxRawBytes {
		return "", refused(raw, errRawLong)
	}
	if otherScheme(raw) {
		return "", refused(raw, ErrNotWeb)
	}
	p, err := parseAddress(raw)
	if err != nil {
		return "", refused(raw, err)
	}
	url, err := p.canonical()
	if err != nil {
		return "", refused(raw, err)
	}
	return url, nil
}

func refused(raw string, why error) error {
	const shown = 120 // enough to find the link again, short enough for one line
	if len(raw) > shown {
		return fmt.Errorf("address %q... refused: %w", raw[:shown], why)
	}
	return fmt.Errorf("address %q refused: %w", raw, why)
}

// parts are the parts of a parsed address that decide which page it is.
type parts struct{ scheme, host, port, path, query string }

// canonical applies the rules of identity to an address parsed by the standard's rules: host in
// lower case, no dot segments, no default port.
func (p parts) canonical() (string, error) {
	if p.scheme != "http" && p.scheme != "https" {
		return "", ErrNotWeb
	}
	host := strings.ToLower(p.host)
	// The root dot names the same host. "a.." is no such name, and cutting it could turn it into
	// another host at its next parsing ("256.." into an IPv4 number).
	if h := strings.TrimSuffix(host, "."); h != "" && !strings.HasSuffix(h, ".") {
		host = h
	}
	if host == "" {
		return "", errors.New("it has no host")
	}
	b := make([]byte, 0, len(p.scheme)+len(host)+len(p.port)+len(p.path)+len(p.query)+8)
	b = append(b, p.scheme...)
	b = append(b, "://"...)
	b = append(b, host...)
	if p.port != "" {
		b = append(append(b, ':'), p.port...)
	}
	if p.path == "" {
		b = append(b, '/')
	}
	b = appendEscaped(b, p.path)
	if p.query != "" {
		b = appendEscaped(append(b, '?'), p.query)
	}
	if len(b) > MaxURLBytes {
		return "", errLong
	}
	return string(b), nil
}

// appendEscaped makes percent-escapes canonical. It never creates a dot segment: the parser has
// treated escaped dots as dots already.
func appendEscaped(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c != '%' && octets[c]&neverLegal == 0:
			b = append(b, c)
			continue
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if octets[c]&unreserved != 0 {
				b = append(b, c)
				continue
			}
		}
		// Also a "%" without an escape: it could form one with unescaped text after it ("%%34%31").
		b = append(b, '%', hex[c>>4], hex[c&15])
	}
	return b
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
