package extract

import "bytes"

// appendText appends text with each run of white space made one blank. buf never starts
// with a blank and never has two in a row.
func appendText(buf, text []byte) []byte {
	for len(text) > 0 {
		i := 0
		// A blank between words remains.
		for i < len(text) && (!maySpace[text[i]] || text[i] == ' ' && i > 0 && text[i-1] != ' ') {
			i++
		}
		buf = append(buf, text[:i]...)
		text = text[i:]
		if len(text) == 0 {
			break
		}
		n := spaceLen(text)
		if n == 0 {
			buf = append(buf, text[0])
			text = text[1:]
			continue
		}
		buf = appendSpace(buf)
		text = text[n:]
	}
	return buf
}

// maySpace marks the octets that white space begins with.
var maySpace = func() (t [256]bool) {
	for c := range ' ' + 1 {
		t[c] = true
	}
	t[0xC2], t[0xE3] = true, true
	return t
}()

func appendSpace(buf []byte) []byte {
	if len(buf) == 0 || buf[len(buf)-1] == ' ' {
		return buf
	}
	return append(buf, ' ')
}

// spaceLen returns the octets of the white space at the start of text: controls and blank,
// no-break space, ideographic space.
func spaceLen(text []byte) int {
	switch {
	case text[0] <= ' ':
		return 1
	case bytes.HasPrefix(text, []byte("\u00a0")):
		return 2
	case bytes.HasPrefix(text, []byte("\u3000")):
		return 3
	}
	return 0
}

// isHidden reports whether the content of an element is raw text that is not shown.
func isHidden(name []byte) bool {
	switch string(name) {
	case "script", "style", "noscript", "iframe", "noembed", "noframes":
		return true
	}
	return false
}

// isInline reports whether an element stands inside a word or sentence, so that its tags
// separate nothing.
func isInline(name []byte) bool {
	switch string(name) {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em",
		"font", "i", "ins", "kbd", "mark", "q", "ruby", "s", "samp", "small", "span", "strike",
		"strong", "sub", "sup", "time", "tt", "u", "var", "wbr":
		return true
	}
	return false
}
