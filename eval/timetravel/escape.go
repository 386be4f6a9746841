package timetravel

import "strings"

// escape returns a file name as the path of a URL: characters that RFC 3986 3.3 allows in a path
// stay, others are escaped.
func escape(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.IndexByte("/-._~!$&'()*+,;=:@", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// unescape undoes percent-escapes. A percent sign without one stays, as on lenient servers.
func unescape(path string) string {
	if strings.IndexByte(path, '%') < 0 {
		return path
	}
	b := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			high, low := digit(path[i+1]), digit(path[i+2])
			if high >= 0 && low >= 0 {
				b = append(b, byte(high<<4|low))
				i += 2
				continue
			}
		}
		b = append(b, path[i])
	}
	return string(b)
}

// digit returns the value of a hexadecimal digit, or -1.
func digit(c byte) int {
	i := strings.IndexByte("0123456789abcdefABCDEF", c)
	if i > 15 {
		return i - 6
	}
	return i
}
