package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/recrawl/recrawl/sitegraph"
)

// Write writes a history, gzip'd. Reading it gives an equal one; a server for which that is
// impossible (guarantee 2) is an error. Equal servers give equal bytes.
func Write(w io.Writer, s *Server) error {
	if err := check(s); err != nil {
		return fmt.Errorf("write the history of %s: %w", s.Name, err)
	}
	z := gzip.NewWriter(w)
	buffer := bufio.NewWriterSize(z, 64<<10)
	var line []byte
	for _, at := range timeOrder(s) {
		p := s.Pages[at.page]
		var before *Version
		if at.version > 0 && p.Versions[at.version-1].Alive() {
			before = &p.Versions[at.version-1]
		}
		line = appendLine(line[:0], p.URL, before, &p.Versions[at.version])
		if len(line) > MaxLineBytes {
			return fmt.Errorf(
				"write the history of %s: the line of %s is longer than %d bytes",
				s.Name,
				p.URL,
				MaxLineBytes,
			)
		}
		if _, err := buffer.Write(line); err != nil {
			return fmt.Errorf("write the history of %s: %w", s.Name, err)
		}
	}
	if err := buffer.Flush(); err != nil {
		return fmt.Errorf("write the history of %s: %w", s.Name, err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("write the history of %s: %w", s.Name, err)
	}
	return nil
}

type place struct {
	t             int64
	page, version int
}

// timeOrder returns the places of the lines, in the order of writing.
func timeOrder(s *Server) []place {
	var places []place
	for i, p := range s.Pages {
		for j := range p.Versions {
			places = append(places, place{p.Versions[j].T, i, j})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.page, b.page),
			cmp.Compare(a.version, b.version))
	})
	return places
}

func check(s *Server) error {
	if len(s.Pages) == 0 {
		return fmt.Errorf("it has no pages")
	}
	first := s.T0
	for i, p := range s.Pages {
		switch {
		case sitegraph.ServerName(p.URL) != s.Name || s.Name == "":
			return fmt.Errorf("page %q is of another server", p.URL)
		case s.index[p.URL] != p:
			return fmt.Errorf("page %q is there twice, or was not given to NewServer", p.URL)
		case len(p.Versions) == 0:
			return fmt.Errorf("page %q has no versions", p.URL)
		case p.Versions[0].T < first || i == 0 && p.Versions[0].T != s.T0:
			return fmt.Errorf("page %q comes out of order: it begins at %d", p.URL, p.Versions[0].T)
		}
		first = p.Versions[0].T
		last := first
		for j := range p.Versions {
			v := &p.Versions[j]
			if v.T < last || v.T < 0 || v.T > math.MaxUint32 {
				return fmt.Errorf("page %q has a version out of order, at %d", p.URL, v.T)
			}
			last = v.T
			if err := checkVersion(v); err != nil {
				return fmt.Errorf("page %q has at %d %w", p.URL, v.T, err)
			}
		}
		if !utf8.ValidString(p.URL) {
			return fmt.Errorf("page %q is no valid UTF-8", p.URL)
		}
	}
	return nil
}

func checkVersion(v *Version) error {
	known := v.Digests != sitegraph.Digests{} || v.Size != 0 || v.LinksKnown || v.FramesKnown
	switch {
	case v.Gone && v.Redirect != "":
		return fmt.Errorf("a version that is both gone and redirected")
	case !v.Alive() && known:
		return fmt.Errorf("a version that is no page and has a content")
	case v.Alive() && v.Digests.Bytes.IsZero():
		return fmt.Errorf("a version without digest")
	case v.Size < 0:
		return fmt.Errorf("a version of negative size")
	case len(v.Links) > 0 && !v.LinksKnown || len(v.Frames) > 0 && !v.FramesKnown:
		return fmt.Errorf("links or frames that are not known")
	}
	for _, list := range [][]string{v.Links, v.Frames, {v.Redirect}} {
		for _, url := range list {
			if !utf8.ValidString(url) {
				return fmt.Errorf("the address %q, no valid UTF-8", url)
			}
		}
	}
	return nil
}

// appendLine writes v. before is the version whose text, main, links and frames are copied if
// omitted, or nil.
func appendLine(b []byte, url string, before, v *Version) []byte {
	b = appendText(append(b, `{"url":`...), url)
	b = strconv.AppendInt(append(b, `,"t":`...), v.T, 10)
	switch {
	case v.Gone:
		return append(b, `,"gone":true}`+"\n"...)
	case v.Redirect != "":
		b = appendText(append(b, `,"redirect":`...), v.Redirect)
		return append(b, "}\n"...)
	}
	if before == nil {
		before = &Version{}
	}
	b = fmt.Appendf(b, `,"digest":"%v"`, v.Digests.Bytes)
	b = appendDigest(b, `,"text":`, before.Digests.Text, v.Digests.Text)
	b = appendDigest(b, `,"main":`, before.Digests.Main, v.Digests.Main)
	if v.Size > 0 {
		b = strconv.AppendInt(append(b, `,"size":`...), v.Size, 10)
	}
	b = appendList(b, `,"links":`, before.LinksKnown, v.LinksKnown, before.Links, v.Links)
	b = appendList(b, `,"frames":`, before.FramesKnown, v.FramesKnown, before.Frames, v.Frames)
	return append(b, "}\n"...)
}

// null means that a value is no longer known; omitting the field would copy it.
const null = "null"

func appendDigest(b []byte, key string, before, d sitegraph.Digest) []byte {
	switch {
	case d == before:
		return b
	case d.IsZero():
		return append(append(b, key...), null...)
	}
	return fmt.Appendf(append(b, key...), `"%v"`, d)
}

func appendList(b []byte, key string, wasKnown, known bool, before, list []string) []byte {
	if known == wasKnown && slices.Equal(before, list) {
		return b
	}
	b = append(b, key...)
	if !known {
		return append(b, null...)
	}
	b = append(b, '[')
	for i, url := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, url)
	}
	return append(b, ']')
}

func appendText(b []byte, s string) []byte {
	if plain([]byte(s)) {
		return append(append(append(b, '"'), s...), '"')
	}
	var buffer bytes.Buffer
	e := json.NewEncoder(&buffer)
	e.SetEscapeHTML(false) // & is common in URLs
	if e.Encode(s) != nil {
		panic(fmt.Sprintf("history: string %q cannot be written", s)) // strings always can
	}
	return append(b, bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))...)
}
