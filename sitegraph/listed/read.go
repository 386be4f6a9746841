package listed

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/recrawl/recrawl/sitegraph"
)

// Form is how the lines of a list are read. The zero value reads a list without a header.
type Form struct {
	// Whole is set if only tabs separate columns, so that commas, semicolons and bars are parts of
	// addresses.
	Whole bool

	separator byte // of columns; 0: unknown
	column    int  // of the address, from 1; 0: unknown
}

// separators are possible separators of columns besides a tab.
const separators = ",;|"

// Begin judges a list by its beginning. It sets Whole if separators appear inside addresses of most
// lines, or the header has one column. It returns the number of the header line, which Read must
// not get; 0: none.
func (f *Form) Begin(head []byte) (header int64) {
	n, rows, divided := int64(0), 0, 0
	for line := range bytes.Lines(head[:min(len(head), judged)]) {
		n++
		text := trim(line)
		if len(text) == 0 || isComment(text) {
			continue
		}
		if rows == 0 && f.takeHeader(string(text)) {
			return n
		}
		if rows++; hasScheme(string(text)) {
			if _, ok := undivided(string(text)); !ok {
				divided++
			}
		}
	}
	if rows >= enoughRows && 2*divided < rows {
		f.Whole = true // otherwise all lines would have columns
	}
	return 0
}

const (
	judged     = 64 << 10 // bytes of a list that Begin looks at
	enoughRows = 32       // distinguish a list whose addresses have commas from one with columns
)

// takeHeader reports whether the first line of a list is its header.
func (f *Form) takeHeader(text string) bool {
	if strings.Contains(text, "://") ||
		strings.ContainsFunc(text, unicode.IsControl) && !strings.Contains(text, "\t") {
		return false
	}
	if addressNames[strings.ToLower(strings.Trim(text, `"'`))] {
		f.Whole = true // there is no other column
		return true
	}
	for _, s := range []byte("\t" + separators) {
		for i, column := range split(text, s) {
			if addressNames[strings.ToLower(strings.TrimSpace(column))] {
				f.separator, f.column = s, i+1
				return true
			}
		}
	}
	return false
}

// addressNames are names of columns with addresses.
var addressNames = map[string]bool{"url": true, "urls": true, "uri": true, "address": true,
	"addresses": true, "link": true, "loc": true, "location": true, "href": true, "page": true,
	"page url": true, "page_url": true, "pageurl": true, "full url": true, "landing page": true,
	"top pages": true, "permalink": true, "website": true, "original": true, "seed": true,
	"original url": true, "original_url": true, "web address": true, "target_url": true,
	"adresse": true, "web-adresse": true, "lien": true, "enlace": true, "seite": true}

// Read returns the canonical address in a line, or the reason why there is none. The address may
// share memory with the line.
func (f *Form) Read(line []byte) (url string, kind Kind) {
	text := trim(line)
	switch {
	case len(text) == 0:
		return "", Blank
	case f.separator == 0 && isPlain(text):
		return whole(unsafe.String(&text[0], len(text)))
	case bytes.IndexByte(text, 0) >= 0:
		return "", Zeros
	case isComment(text) && (f.separator == 0 || text[0] != f.separator):
		return "", Comment
	}
	row := unsafe.String(&text[0], len(text))
	if f.separator != 0 {
		row = strings.TrimRight(string(line), "\r\n") // columns may be empty
		return f.ofRow(split(row, f.separator), false)
	}
	row = withoutComment(row)
	switch first := row[0]; {
	case strings.Contains(row, "\t"):
		return f.ofRow(split(row, '\t'), true)
	case first == '"' || first == '\'':
		return quoted(row)
	case first == '<':
		return single(strings.TrimRight(row, separators+" "))
	case hasScheme(row) && !f.Whole:
		text, ok := undivided(row)
		if !ok {
			return "", Divided
		}
		return address(text)
	}
	if !f.Whole && strings.Contains(row, "://") {
		for _, s := range []byte(separators) {
			if columns := split(row, s); len(columns) > 1 {
				return f.ofRow(columns, false)
			}
		}
	}
	return address(row)
}

// ofRow reads the address column of a row.
func (f *Form) ofRow(columns []string, first bool) (string, Kind) {
	if f.column > 0 {
		if f.column > len(columns) {
			return "", Malformed
		}
		if columns[f.column-1] = strings.TrimSpace(columns[f.column-1]); columns[f.column-1] == "" {
			return "", Blank
		}
		return single(columns[f.column-1])
	}
	at := -1
	for i, column := range columns {
		column = strings.TrimSpace(column)
		switch {
		case !strings.Contains(column, "://"):
		case !hasScheme(unwrapped(column)):
			return "", Malformed // a sentence, or another format
		case at >= 0:
			return "", Several
		default:
			if at = i; i == 0 && first {
				return single(column)
			}
		}
	}
	if at < 0 {
		return "", judge(strings.TrimSpace(columns[0]))
	}
	return single(strings.TrimSpace(columns[at]))
}

// quoted reads a line that begins with a quote: one address, or a row.
func quoted(row string) (string, Kind) {
	end := strings.IndexByte(row[1:], row[0])
	if end < 0 {
		return "", Forbidden
	}
	rest := strings.TrimSpace(row[end+2:])
	if strings.Trim(rest, separators+" ") == "" {
		return single(row[:end+2])
	}
	if row[0] == '"' && strings.IndexByte(separators, rest[0]) >= 0 {
		f := Form{separator: rest[0]}
		return f.ofRow(split(row, rest[0]), false)
	}
	return "", Forbidden
}

// single reads a text that is only an address, perhaps in quotes or brackets.
func single(text string) (string, Kind) {
	text = unwrapped(text)
	if text == "" {
		return "", Malformed
	}
	return address(text)
}

func unwrapped(text string) string {
	n := len(text)
	switch {
	case n < 2:
	case text[0] == '"' && text[n-1] == '"', text[0] == '\'' && text[n-1] == '\'':
		text = text[1 : n-1]
	case text[0] == '<' && text[n-1] == '>':
		text = text[1 : n-1]
		if len(text) > 4 && strings.EqualFold(text[:4], "url:") { // RFC 3986 C
			text = text[4:]
		}
	}
	return strings.TrimSpace(text)
}

// One reads an argument, or another text that is only one address.
func One(text string) (url string, kind Kind) {
	if text = string(trim([]byte(text))); text == "" {
		return "", Blank
	}
	return address(text)
}

// address reads a text that is completely an address. The parser alone would drop tabs and line
// ends, and escape blanks and quotes.
func address(text string) (string, Kind) {
	if !utf8.ValidString(text) { // other columns may have it, as from spreadsheets
		return "", NotUTF8
	}
	if hasScheme(text) {
		for _, c := range text {
			switch {
			case unicode.IsSpace(c) && c != '\u0085':
				return "", Spaced
			case isInvisible(c):
				return "", Invisible
			case strings.ContainsRune("\"<>\\`", c):
				return "", Forbidden
			}
		}
	}
	return whole(text)
}

// whole returns the canonical form of an address.
func whole(text string) (string, Kind) {
	if !hasScheme(text) {
		return "", judge(text)
	}
	host := text[strings.Index(text, "://")+3:]
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	if host == "" {
		return "", Malformed
	}
	if strings.ContainsAny(host, separators) {
		return "", Divided
	}
	url, err := sitegraph.Canonical(text)
	switch {
	case err == nil:
		return url, Address
	case errors.Is(err, sitegraph.ErrTooLong):
		return "", TooLong
	case errors.Is(err, sitegraph.ErrNotWeb):
		return "", NotWeb
	}
	return "", Malformed
}

// undivided removes the separators at the end of a text. It returns false if one inside may begin a
// column: a page may have such a character in its name, and a list columns without a header. Only
// text that continues like a page name is certain.
func undivided(text string) (whole string, ok bool) {
	text = strings.TrimRight(text, separators)
	at := strings.IndexAny(text, separators)
	if at < 0 {
		return text, true
	}
	tail := text[at+1:]
	name, _, isPair := strings.Cut(tail, "=")
	switch {
	case pageEnds[strings.ToLower(tail[strings.LastIndexByte(tail, '.')+1:])]:
	case strings.Contains(text[:at], "?") && strings.Contains(tail, "&"):
	case text[at] == ';' && isPair && strings.Trim(strings.ToLower(name),
		"abcdefghijklmnopqrstuvwxyz_-.") == "": // ;jsessionid=, or of a query
	default:
		return "", false
	}
	return text, true
}

// pageEnds are endings of page names.
var pageEnds = map[string]bool{"html": true, "htm": true, "xhtml": true, "shtml": true, "php": true,
	"asp": true, "aspx": true, "jsp": true, "cfm": true}

// judge returns why a text without http:// or https:// is no address.
func judge(text string) Kind {
	scheme, rest, ok := strings.Cut(text, ":")
	switch {
	case strings.ContainsFunc(text, isInvisible):
		return Invisible
	case strings.ContainsFunc(text, unicode.IsSpace):
		return Malformed
	case ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		return Malformed // http:/h.example
	case ok && isScheme(scheme) && rest != "" && !strings.HasPrefix(rest, "/") &&
		strings.Trim(rest[:1], "0123456789") == "": // host:port
		return NoScheme
	case ok && isScheme(scheme):
		return NotWeb
	case strings.Contains(text, "://"):
		return Malformed
	case strings.ContainsAny(text, "./"):
		return NoScheme
	}
	return Malformed
}

func isScheme(text string) bool {
	for i := range len(text) {
		if c := text[i] | 0x20; (c < 'a' || c > 'z') &&
			(i == 0 || strings.IndexByte("0123456789+-.", text[i]) < 0) {
			return false
		}
	}
	return text != ""
}

func hasScheme(text string) bool {
	return len(text) > 7 && strings.EqualFold(text[:7], "http://") ||
		len(text) > 8 && strings.EqualFold(text[:8], "https://")
}

// isComment reports whether a line is a comment. A line with two slashes may be an address without
// a scheme. Spreadsheets write "sep=;" before the header.
func isComment(text []byte) bool {
	switch text[0] {
	case '#', ';':
		return true
	case 's':
		return len(text) == 5 && bytes.HasPrefix(text, []byte("sep="))
	case '/':
		rest, ok := bytes.CutPrefix(text, []byte("//"))
		return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '/')
	}
	return false
}

// withoutComment cuts a comment after an address: a blank and a sign.
func withoutComment(text string) string {
	at := strings.IndexAny(text, " \t")
	if at < 0 {
		return text
	}
	rest := strings.TrimLeft(text[at:], " \t")
	if rest[0] == '#' || rest[0] == ';' || rest == "//" || strings.HasPrefix(rest, "// ") {
		return text[:at]
	}
	return text
}

// split divides a row into columns. Quotes keep their content together.
func split(row string, separator byte) []string {
	if strings.IndexByte(row, '"') < 0 || separator == '\t' {
		return strings.Split(row, string(rune(separator)))
	}
	r := csv.NewReader(strings.NewReader(row))
	r.Comma, r.LazyQuotes, r.TrimLeadingSpace = rune(separator), true, true
	columns, err := r.Read()
	if err != nil {
		return []string{row}
	}
	return columns
}

// isPlain reports whether a line has only simple characters, as most lines have.
func isPlain(text []byte) bool {
	if len(text) < 8 || text[0]|0x20 != 'h' {
		return false
	}
	for _, c := range text {
		if !plain[c] {
			return false
		}
	}
	return true
}

var plain = func() (is [256]bool) {
	for c := '!'; c <= '~'; c++ {
		is[c] = !strings.ContainsRune("\"<>\\`'"+separators, c)
	}
	return is
}()

// trim removes white space and invisible marks at both ends.
func trim(line []byte) []byte {
	if n := len(line); n > 0 && plain[line[0]] && plain[line[n-1]] {
		return line
	}
	return bytes.TrimFunc(line, func(c rune) bool {
		return unicode.IsSpace(c) || c == '\ufeff' || c == '\u200b' || c == '\u200e' ||
			c == '\u200f'
	})
}

// isInvisible reports whether a character is invisible. Joiners are spelling in some scripts.
func isInvisible(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) && c != '\u200c' && c != '\u200d'
}
