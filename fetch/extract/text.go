package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// appendText appends visible text: each run of white space becomes one blank, invisible characters
// are left out, and letters are composed (NFC). buf is empty or an earlier result. It never starts
// with a blank and never has two in a row.
func appendText(buf, text []byte) []byte {
	from := len(buf)
	for len(text) > 0 {
		i := 0
		// A blank between words remains.
		for i < len(text) && (!mayFold[text[i]] || text[i] == ' ' && i > 0 && text[i-1] != ' ') {
			i++
		}
		buf = append(buf, text[:i]...)
		text = text[i:]
		if len(text) == 0 {
			break
		}
		n, kind := look(text)
		buf = appendLooked(buf, text[:n], kind)
		text = text[n:]
	}
	return compose(buf, min(from, len(buf)))
}

// looks is how a character appears.
type looks uint8

const (
	looksItself looks = iota
	looksBlank
	looksNothing
	looksJoined // visible in the joining of its neighbours, if their script joins letters
	looksHyphen // looks like "-", though lines may or may not break there
)

// look returns the length of the first character in octets, and its looks. Controls are blanks.
func look(text []byte) (octets int, kind looks) {
	if text[0] <= ' ' {
		return 1, looksBlank
	}
	if !mayFold[text[0]] {
		return 1, looksItself
	}
	r, n := utf8.DecodeRune(text)
	switch {
	case unicode.IsSpace(r), r == '\u2800', r == '\u3164', r == '\uffa0':
		return n, looksBlank
	case r == '\u2010', r == '\u2011':
		return n, looksHyphen
	case r == '\u200c', r == '\u200d', r == '\u180e', isTag(r):
		return n, looksJoined
	case r == '\u00ad', r == '\u034f', r == '\u061c', r == '\u200b', r == '\u200e', r == '\u200f',
		r == '\ufeff', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u206f',
		r >= '\ufff9' && r <= '\ufffb':
		return n, looksNothing
	}
	return n, looksItself
}

// mayFold marks the first octets of characters that are not appended unchanged.
var mayFold = func() (t [256]bool) {
	for c := range ' ' + 1 {
		t[c] = true
	}
	for _, r := range []rune{'\u00a0', '\u034f', '\u061c', '\u1680', '\u2000', '\u3000', '\ufeff',
		firstTag} {
		t[string(r)[0]] = true
	}
	return t
}()

// appendLooked appends one character.
func appendLooked(buf, character []byte, kind looks) []byte {
	switch kind {
	case looksBlank:
		return appendSpace(buf)
	case looksNothing:
		return buf
	case looksHyphen:
		return append(buf, '-')
	case looksJoined:
		if before, _ := utf8.DecodeLastRune(buf); !joins(before) {
			return buf
		}
	}
	return append(buf, character...)
}

// Tags turn the flag before them into that of a region, and are invisible elsewhere.
const firstTag, lastTag = '\U000e0020', '\U000e007f'

func isTag(r rune) bool { return r >= firstTag && r <= lastTag }

// joins reports whether a joiner after a character may be visible: after letters of the scripts
// from Hebrew to those of India and beyond, and in emoji. Latin, Greek, Cyrillic and East Asian
// scripts ignore it. Composing a letter does not change that.
func joins(r rune) bool {
	return r >= 0x0590 && r < 0x1100 || r >= 0x1200 && r < 0x1d00 || r >= 0x2600 && r < 0x27c0 ||
		r >= 0xa840 && r < 0xa960 || r >= 0xa980 && r < 0xac00 || r >= 0xfb1d && r < 0xfe10 ||
		r >= 0xfe70 && r < 0xfeff || r >= 0x10800 && r < 0x20000 || isTag(r)
}

// zwnj separates two letters, so it is invisible at the end of a word.
const zwnj = "\u200c"

func appendSpace(buf []byte) []byte {
	if n := len(buf); n > 0 && buf[n-1] == zwnj[2] {
		buf = bytes.TrimSuffix(buf, []byte(zwnj))
	}
	if len(buf) == 0 || buf[len(buf)-1] == ' ' {
		return buf
	}
	return append(buf, ' ')
}

// compose brings the text after from to NFC, together with the character before it.
func compose(buf []byte, from int) []byte {
	if norm.NFC.QuickSpan(buf[from:]) == len(buf)-from &&
		(from == len(buf) || buf[from] < utf8.RuneSelf) {
		return buf
	}
	from = max(norm.NFC.LastBoundary(buf[:from]), 0)
	if norm.NFC.IsNormal(buf[from:]) {
		return buf
	}
	return append(buf[:from], norm.NFC.Bytes(buf[from:])...)
}

// isHidden reports whether the content of an element is raw text that browsers do not show.
func isHidden(name []byte) bool {
	switch string(name) {
	case "script", "style", "noscript", "iframe", "noembed", "noframes":
		return true
	}
	return false
}

// isInline reports whether an element stands inside a word or sentence, so that its tags do not
// separate.
func isInline(name []byte) bool {
	switch string(name) {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em",
		"font", "i", "ins", "kbd", "mark", "q", "ruby", "s", "samp", "small", "span", "strike",
		"strong", "sub", "sup", "time", "tt", "u", "var", "wbr":
		return true
	}
	return false
}
