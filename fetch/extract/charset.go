package extract

import (
	"bytes"
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// toUTF8 returns the page as UTF-8, and the name of its charset.
func toUTF8(body []byte, contentType string) (text []byte, name string) {
	encoding, name := encodingOf(body, contentType)
	if name == "utf-8" {
		return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), name
	}
	text, err := encoding.NewDecoder().Bytes(body)
	if err != nil { // decoders replace octets that they cannot read; if one stops, keep the rest
		return body, name
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), name
}

// encodingOf returns the encoding of a page. A byte order mark decides, then the header, then a
// <meta> anywhere, then the XML declaration (WHATWG HTML 13.2.3.2, 13.2.3.5). For XHTML the
// declaration comes before <meta>. The first tag shows UTF-16. A page in UTF-8 is read as such if
// it names no charset, or a Latin one without authority. Other pages without a charset are guessed
// by their octets (see guess).
func encodingOf(body []byte, contentType string) (encoding.Encoding, string) {
	for _, mark := range [...]struct{ octets, name string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xfe\xff", "utf-16be"}, {"\xff\xfe", "utf-16le"},
	} {
		if bytes.HasPrefix(body, []byte(mark.octets)) {
			return charset.Lookup(mark.name)
		}
	}
	if e, name := charset.Lookup(charsetOfType(contentType)); e != nil {
		return e, name
	}
	if name := utf16(body); name != "" {
		return charset.Lookup(name)
	}
	first, second := charsetOfMeta, charsetOfXML
	if MediaType(contentType) == "application/xhtml+xml" {
		first, second = second, first
	}
	e, name := first(body)
	if e == nil {
		e, name = second(body)
	}
	switch {
	case e == nil && isISO2022JP(body):
		return charset.Lookup("iso-2022-jp")
	case e != nil && name != "windows-1252":
		return e, name
	case isUTF8(body):
		return charset.Lookup("utf-8")
	case e != nil:
		return e, name
	}
	return charset.Lookup(guess(body))
}

// charsetOfType returns the charset of a Content-Type, or "". If the field has several types, the
// last type with a charset counts.
func charsetOfType(contentType string) (label string) {
	for one := range strings.SplitSeq(contentType, ",") {
		label = cmp.Or(charsetIn(one), label)
	}
	return label
}

// charsetIn returns the first label of a known charset in a type, or "". Servers write quotes of
// both kinds, blanks, and the parameter twice.
func charsetIn(contentType string) string {
	const key, blanks = "charset", " \t\r\n\f"
	lower := strings.ToLower(contentType)
	for {
		at := strings.Index(lower, key)
		if at < 0 {
			return ""
		}
		lower = strings.TrimLeft(lower[at+len(key):], blanks)
		value, ok := strings.CutPrefix(lower, "=")
		if !ok {
			continue
		}
		label := strings.TrimLeft(value, blanks+`"'`)
		if end := strings.IndexAny(label, blanks+`"';,`); end >= 0 {
			label = label[:end]
		}
		if e, _ := charset.Lookup(label); e != nil {
			return label
		}
	}
}

// declared returns the encoding that a document names within itself. It cannot be UTF-16, because
// the declaration was readable.
func declared(label string) (encoding.Encoding, string) {
	e, name := charset.Lookup(label)
	switch {
	case strings.HasPrefix(name, "utf-16"):
		return charset.Lookup("utf-8")
	case name == "x-user-defined":
		return charset.Lookup("windows-1252")
	}
	return e, name
}

// charsetOfMeta returns the encoding of the first <meta> with a known charset. Browsers look in the
// first 1,024 octets, and reread the page for a later one.
func charsetOfMeta(page []byte) (encoding.Encoding, string) {
	if !mayDeclare(page) {
		return nil, ""
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(maxToken)
	var buf [16]byte
	for {
		switch z.Next() {
		case html.ErrorToken:
			return nil, ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if string(tagName(z.Raw()[1:], &buf)) != "meta" {
				continue
			}
			if e, name := declared(charsetOfTag(z)); e != nil {
				return e, name
			}
		}
	}
}

// mayDeclare reports whether some tag may be a <meta> with a charset. So most pages without one are
// not read twice.
func mayDeclare(page []byte) bool {
	for {
		at := bytes.IndexByte(page, '<')
		if at < 0 {
			return false
		}
		page = page[at+1:]
		if len(page) < 4 || !bytes.EqualFold(page[:4], []byte("meta")) {
			continue
		}
		tag := page
		if end := bytes.IndexByte(page, '>'); end >= 0 {
			tag = page[:end]
		}
		if len(tag) > maxToken || bytes.Contains(bytes.ToLower(tag), []byte("charset")) {
			return true
		}
		page = page[len(tag):]
	}
}

// charsetOfTag returns the label that a <meta> names.
func charsetOfTag(z *html.Tokenizer) string {
	var label, pragma, content []byte
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			label = first(label, value)
		case "http-equiv":
			pragma = first(pragma, value)
		case "content":
			content = first(content, value)
		}
	}
	if len(label) == 0 && bytes.EqualFold(pragma, []byte("content-type")) {
		return charsetIn(string(content))
	}
	return strings.Trim(string(label), ` "'`)
}

// charsetOfXML returns the encoding in the XML declaration at the start of a page.
func charsetOfXML(page []byte) (encoding.Encoding, string) {
	const longest = 1024
	page = bytes.TrimLeft(page[:min(len(page), longest)], " \t\r\n\f")
	declaration, _, ok := bytes.Cut(page, []byte(">"))
	if !ok || !bytes.HasPrefix(declaration, []byte("<?xml")) {
		return nil, ""
	}
	_, value, ok := strings.Cut(string(declaration), "encoding")
	value, equals := strings.CutPrefix(strings.TrimSpace(value), "=")
	value = strings.TrimSpace(value)
	if !ok || !equals || value == "" || value[0] != '"' && value[0] != '\'' {
		return nil, ""
	}
	label, _, ok := strings.Cut(value[1:], value[:1])
	if !ok {
		return nil, ""
	}
	return declared(label)
}
