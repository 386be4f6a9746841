package history

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// fields are the fields of a line. Byte slices point into the line.
type fields struct {
	has                               field // present in the line
	null                              field // null in the line
	url, digest, text, main, redirect []byte
	t, size                           int64
	gone                              bool
	links, frames                     []string
}

type field uint16

const (
	fieldURL field = 1 << iota
	fieldT
	fieldDigest
	fieldText
	fieldMain
	fieldSize
	fieldLinks
	fieldFrames
	fieldGone
	fieldRedirect
)

var fieldNames = map[string]field{"url": fieldURL, "t": fieldT, "digest": fieldDigest,
	"text": fieldText,
	"main": fieldMain, "size": fieldSize, "links": fieldLinks, "frames": fieldFrames,
	"gone":     fieldGone,
	"redirect": fieldRedirect}

func (f *fields) bytesOf(name field) *[]byte {
	switch name {
	case fieldURL:
		return &f.url
	case fieldDigest:
		return &f.digest
	case fieldText:
		return &f.text
	case fieldMain:
		return &f.main
	}
	return &f.redirect
}

// scanner reads the lines that nearly every history consists of: the known fields, each once,
// without escapes in strings. For any other line it declines, and encoding/json decides. It reads
// 480 MB/s, and decode 19. That matters because half a gigabyte of histories is read before every
// evaluation.
type scanner struct {
	b []byte
	i int
}

// scan reports whether a line is of the plain kind; otherwise f is meaningless. It does not check
// strings: the caller must exclude backslashes and control characters, which interning does at
// first occurrences.
func scan(line []byte, words *interner, f *fields) bool {
	if bytes.IndexByte(line, '\\') >= 0 {
		return false
	}
	s := scanner{b: line}
	if !s.skip('{') {
		return false
	}
	for {
		key, ok := s.text()
		if !ok || !s.skip(':') {
			return false
		}
		name := fieldNames[string(key)]
		if name == 0 || f.has&name != 0 || !s.value(name, words, f) {
			return false
		}
		f.has |= name
		if s.skip(',') {
			continue
		}
		return s.skip('}') && s.atEnd()
	}
}

func (s *scanner) value(name field, words *interner, f *fields) (ok bool) {
	switch name {
	case fieldT:
		f.t, ok = s.integer()
	case fieldSize:
		f.size, ok = s.integer()
	case fieldGone:
		f.gone = true // "false" is rare: decline
		ok = s.literal("true")
	case fieldLinks:
		f.links, ok = s.list(words)
	case fieldFrames:
		f.frames, ok = s.list(words)
	default:
		*f.bytesOf(name), ok = s.text()
	}
	return ok
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

func (s *scanner) atEnd() bool { s.space(); return s.i == len(s.b) }

func (s *scanner) skip(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

func (s *scanner) literal(word string) bool {
	s.space()
	if !bytes.HasPrefix(s.b[s.i:], []byte(word)) {
		return false
	}
	s.i += len(word)
	return true
}

func (s *scanner) text() ([]byte, bool) {
	if !s.skip('"') {
		return nil, false
	}
	n := bytes.IndexByte(s.b[s.i:], '"')
	if n < 0 {
		return nil, false
	}
	t := s.b[s.i : s.i+n]
	s.i += n + 1
	return t, true
}

func (s *scanner) integer() (int64, bool) {
	s.space()
	start, n := s.i, int64(0)
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		if n > math.MaxInt64/10-1 {
			return 0, false
		}
		n = n*10 + int64(s.b[s.i]-'0')
		s.i++
	}
	digits := s.i - start
	return n, digits > 0 && (digits == 1 || s.b[start] != '0')
}

func (s *scanner) list(words *interner) ([]string, bool) {
	if !s.skip('[') {
		return nil, false
	}
	list := words.list[:0]
	if s.skip(']') {
		return nil, true
	}
	for {
		t, ok := s.text()
		if !ok {
			return nil, false
		}
		word, ok := words.bytes(t)
		if !ok {
			return nil, false
		}
		list = append(list, word)
		if s.skip(',') {
			continue
		}
		words.list = list
		return words.share(list), s.skip(']')
	}
}

// plain reports whether a JSON string with these bytes between its quotes means just them.
func plain(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(b)
}
