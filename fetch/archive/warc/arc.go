package warc

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// ARC files are the predecessors of WARC, written by the Internet Archive and Heritrix. Each record
// is a line of five fields (version 1) or ten (version 2), the octets that a server sent, and a
// line end. The first record names the file. A Reader returns them as WARC records with the fields
// of the line.

const (
	arcVersion = "ARC"
	arcFirst   = "filedesc:" // URL of the first record
	// longestARC limits the line before a record, in octets.
	longestARC = 8 << 10
)

// IsARC reports whether a file with this beginning is an ARC file.
func IsARC(head []byte) bool { return bytes.HasPrefix(head, []byte(arcFirst)) }

// arcFields reads the line before a record, or returns nil for any other line. The URL may contain
// blanks.
func arcFields(line string) []Field {
	words := strings.Fields(line)
	if len(words) < 5 || len(line) > longestARC || strings.IndexByte(words[0], ':') < 1 {
		return nil
	}
	length := words[len(words)-1]
	if _, err := strconv.ParseUint(length, 10, 62); err != nil {
		return nil
	}
	for i := 2; i < len(words)-2; i++ {
		stamp := words[i]
		if len(stamp) == len("200601021504") {
			stamp += "00"
		}
		at, err := time.Parse("20060102150405", stamp)
		if err != nil {
			continue
		}
		kind := Resource
		if strings.HasPrefix(words[0], arcFirst) {
			kind = Info
		}
		return []Field{{TypeField, kind}, {URIField, strings.Join(words[:i-1], "%20")},
			{AddressField, words[i-1]}, {DateField, at.Format(time.RFC3339)},
			{ContentField, words[i+1]}, {LengthField, length}}
	}
	return nil
}

// asHTTP makes a record a response if it begins as an HTTP answer and its header does not
// contradict: a record of an ARC file, or of WARC without a media type.
func (r *Record) asHTTP(begin []byte) {
	if string(begin) != "HTTP/" {
		return
	}
	switch {
	case r.Version == arcVersion && r.Type() == Resource:
		for i := range r.Header {
			switch f := &r.Header[i]; f.Name {
			case TypeField:
				f.Value = Response
			case ContentField:
				f.Value = HTTPResponse
			}
		}
	case r.Type() == Response && r.Get(ContentField) == "":
		r.Header = append(r.Header, Field{ContentField, HTTPResponse})
	}
}
