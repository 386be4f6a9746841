package extract

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	lexing "github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// Style passes each URL in a style sheet, or in a style attribute, to lead, and returns the text
// with its results in their places. URLs are those of url(), @import and image-set() (CSS Syntax 3,
// CSS Images 4), of at most MaxAddress octets. It skips data: URLs and bare fragments, and changes
// nothing else. Tokens are not nested, so time and memory are linear in the text.
func Style(text []byte, lead func(address string) string) []byte {
	// The lexer writes beyond its input.
	l := css.NewLexer(lexing.NewInputBytes(append(make([]byte, 0, len(text)+1), text...)))
	out := make([]byte, 0, len(text))
	importing, naming := false, false // after @import, where a string is a URL; after @namespace
	set := 0                          // open parentheses since image-set(
	for {
		kind, raw := l.Next()
		address, ok := "", false
		switch kind {
		case css.ErrorToken:
			return out
		case css.AtKeywordToken:
			importing = strings.EqualFold(string(raw), "@import")
			naming = strings.EqualFold(string(raw), "@namespace")
		case css.SemicolonToken, css.LeftBraceToken, css.RightBraceToken:
			importing, naming, set = false, false, 0
		case css.FunctionToken:
			name := strings.ToLower(string(raw))
			if set > 0 || name == "image-set(" || name == "-webkit-image-set(" {
				set++
			}
		case css.LeftParenthesisToken:
			if set > 0 {
				set++
			}
		case css.RightParenthesisToken:
			set = max(set-1, 0)
		case css.URLToken:
			_, inside, _ := bytes.Cut(raw, []byte("("))
			address, ok = unquoted(bytes.TrimSuffix(inside, []byte(")"))), !naming
			importing = false
		case css.StringToken:
			address, ok = unquoted(raw), importing || set == 1
			importing = false
		}
		if ok && isAsked(address) {
			if to := lead(address); to != address {
				if kind == css.URLToken {
					out = append(appendQuoted(append(out, "url("...), to), ')')
				} else {
					out = appendQuoted(out, to)
				}
				continue
			}
		}
		out = append(out, raw...)
	}
}

// isAsked reports whether a browser may request a URL as written.
func isAsked(address string) bool {
	return address != "" && address[0] != '#' && len(address) <= MaxAddress &&
		!(len(address) >= 5 && strings.EqualFold(address[:5], "data:"))
}

const cssSpace = " \t\r\n\f"

// unquoted returns the value of a string or url(), without white space around it, quotes and
// escapes (CSS Syntax 3, 4.3.7).
func unquoted(raw []byte) string {
	raw = bytes.Trim(raw, cssSpace)
	if n := len(raw); n > 0 && (raw[0] == '"' || raw[0] == '\'') {
		if raw = raw[1:]; n > 1 && raw[n-2] == '"' || n > 1 && raw[n-2] == '\'' {
			raw = raw[:n-2]
		}
	}
	if len(raw) > 2*MaxAddress || bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		i++
		code, digits := rune(0), 0
		for ; digits < 6 && i < len(raw) && isHex(raw[i]); i, digits = i+1, digits+1 {
			code = code<<4 | hexValue(raw[i])
		}
		switch {
		case digits > 0:
			out = utf8.AppendRune(out, code)
			if i == len(raw) || !slices.Contains([]byte(cssSpace), raw[i]) {
				i--
			}
		case raw[i] != '\n' && raw[i] != '\r' && raw[i] != '\f':
			out = append(out, raw[i])
		}
	}
	return string(out)
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func hexValue(c byte) rune {
	if c <= '9' {
		return rune(c - '0')
	}
	return rune(c|0x20-'a') + 10
}

// appendQuoted appends a string of CSS.
func appendQuoted(dst []byte, value string) []byte {
	dst = append(dst, '"')
	for i := range len(value) {
		switch c := value[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n', '\r', '\f', 0:
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
