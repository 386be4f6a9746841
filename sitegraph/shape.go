package sitegraph

import "strings"

// Shape returns the shape of an address: its path with numbers folded to "#" and the last name to
// "*", and the names of its query's parameters.
//
//	http://example.com/2024/05/some-slug.html     /#/#/*.html
//	http://example.com/posts/abc/                 /posts/*/
//	http://example.com/posts/abc/index.html       /posts/*/
//	http://example.com/docs/v1.10.2/api.PHP       /docs/v#/*.php
//	http://example.com/view?id=7&lang=en          /*?id=&lang=
//
// Dates and versions, digits joined by single points, hyphens or underscores, are one
// number, and so are directories named by eight and more hexadecimal digits. Pages of one
// shape are mostly made by one template and change together. The shape of a shape, which
// has no scheme and server, is itself; a shape is at most two octets longer than its address.
// It allocates once, and twice for addresses beyond 256 octets.
func Shape(url string) string {
	var buffer [256]byte
	return string(appendShape(buffer[:0], url))
}

// appendShape appends the shape of an address, or of its part from the path on.
func appendShape(dst []byte, url string) []byte {
	path := url
	if !strings.HasPrefix(url, "/") {
		if i := strings.Index(url, "://"); i >= 0 {
			path = url[i+len("://"):]
			path = path[len(ServerName(url)):]
		}
	}
	path, query, hasQuery := strings.Cut(path, "?")
	path = strings.TrimPrefix(path, "/")
	if i := strings.LastIndexByte(path, '/'); indexName(path[i+1:]) {
		path = path[:i+1]
	}
	dst = append(dst, '/')
	rest := path
	for rest != "" {
		segment, after, slash := strings.Cut(rest, "/")
		switch {
		case segment == "":
		case !slash:
			dst = appendLower(append(dst, '*'), extension(segment))
		case after == "":
			dst = append(dst, '*')
		case hexID(segment):
			dst = append(dst, '#')
		default:
			dst = appendFolded(dst, segment)
		}
		if slash {
			dst = append(dst, '/')
		}
		rest = after
	}
	if hasQuery {
		dst = appendParameters(append(dst, '?'), query)
	}
	return dst
}

// appendFolded appends text with its numbers folded: runs of digits, with single joints between
// them. Percent-escapes are no numbers.
func appendFolded(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]):
			dst = append(dst, text[i:i+3]...)
			i += 3
		case isNumber(c):
			for i < len(text) && (isNumber(text[i]) || isJoint(text[i]) && i+1 < len(text) &&
				isNumber(text[i+1])) {
				i++
			}
			dst = append(dst, '#')
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

func isNumber(c byte) bool { return '0' <= c && c <= '9' || c == '#' }

func isJoint(c byte) bool { return c == '.' || c == '-' || c == '_' }

// hexID reports whether a segment is a digest or UUID: hexadecimal digits and hyphens only, at
// least eight, with letters and figures.
func hexID(segment string) bool {
	letters, figures := 0, 0
	for i := range len(segment) {
		switch c := segment[i]; {
		case '0' <= c && c <= '9':
			figures++
		case isHex(c):
			letters++
		case c != '-':
			return false
		}
	}
	return letters > 0 && figures > 0 && letters+figures >= 8
}

// extension returns the extension of a file name, "" if it has none: a point, a letter, and up to
// four letters or digits, such as ".html" and ".mp4".
func extension(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i < 2 || len(name)-i > 6 || !isLetter(name[i+1]) {
		return ""
	}
	for k := i + 1; k < len(name); k++ {
		if !isLetter(name[k]) && (name[k] < '0' || name[k] > '9') {
			return ""
		}
	}
	return name[i:]
}

// appendLower appends text with its ASCII letters in lower case.
func appendLower(dst []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// indexName reports whether a file name is one that servers show for its directory.
func indexName(name string) bool {
	stem := strings.TrimSuffix(name, extension(name))
	return strings.EqualFold(stem, "index") || strings.EqualFold(stem, "default")
}

// appendParameters appends the names of a query's parameters with a "=" each; what has no
// value may be one, as in "?FrontPage", and is folded. Equal ones in a row are one.
func appendParameters(dst []byte, query string) []byte {
	first, last := len(dst), len(dst)
	for more := query != ""; more; {
		var parameter string
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			parameter, query = query[:i], query[i+1:]
		} else {
			parameter, query, more = query, "", false
		}
		if parameter == "" {
			continue
		}
		begin := len(dst)
		if begin > first {
			dst = append(dst, '&')
		}
		name := len(dst)
		if i := strings.IndexByte(parameter, '='); i >= 0 {
			dst = append(appendFolded(dst, parameter[:i]), '=')
		} else {
			dst = append(dst, '*')
		}
		if begin > first && string(dst[name:]) == string(dst[last:begin]) {
			dst = dst[:begin]
			continue
		}
		last = name
	}
	return dst
}
