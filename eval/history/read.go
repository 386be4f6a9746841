package history

import (
	"bytes"
	"encoding/hex"
	"io"
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// Read reads the history of one server, gzip'd or plain JSON Lines. file is only for errors, which
// are *Error. Any bad line fails the file. It takes O(bytes).
func Read(r io.Reader, file string) (*Server, error) {
	b := builder{words: newInterner(), byURL: map[string]int32{}}
	if err := EachLine(r, file, MaxLineBytes, b.add); err != nil {
		return nil, err
	}
	return b.finish(), nil
}

// builder collects the pages of lines.
type builder struct {
	name     string
	t0, last int64
	lines    int
	words    *interner
	byURL    map[string]int32
	pages    []openPage
}

type openPage struct {
	Page
	algorithms [3]string // of digest, text and main; "" until known
}

func (b *builder) add(line []byte) error {
	var f fields
	if !scan(line, b.words, &f) || !plain(f.url) || !plain(f.redirect) {
		if err := decode(line, b.words, &f); err != nil {
			return err
		}
	}
	if err := b.check(&f); err != nil {
		return err
	}
	p, err := b.page(f.url)
	if err != nil {
		return err
	}
	v := Version{T: f.t, Gone: f.gone, Redirect: string(f.redirect)}
	if v.Alive() {
		if err := p.content(&f, &v); err != nil {
			return err
		}
	}
	p.Versions = append(p.Versions, v)
	b.lines++
	b.last = f.t
	return nil
}

// check checks the fields that every line must have, and the order of time.
func (b *builder) check(f *fields) *Error {
	has := f.has &^ f.null
	switch {
	case has&fieldURL == 0 || len(f.url) == 0:
		return bad(hintFormat, noURL)
	case has&fieldT == 0:
		return bad(hintSeconds, "t is missing")
	case f.t < 0:
		return bad(hintSeconds, "t is %d, before 1970", f.t)
	case f.t > math.MaxUint32: // sitegraph.History cannot hold more
		return bad(hintSeconds+", not in milliseconds", "t is %d, after the year 2106", f.t)
	case b.lines > 0 && f.t < b.last:
		return bad(hintSort, "t goes backwards: %d comes after %d", f.t, b.last)
	case f.size < 0:
		return bad("leave it out where it is not known", "size is %d", f.size)
	case f.gone && len(f.redirect) > 0:
		return bad("leave one out", "the page is both gone and redirected")
	}
	if b.lines == 0 {
		b.t0 = f.t
	}
	return nil
}

// page returns the page of a line, or a new one for a new URL.
func (b *builder) page(url []byte) (*openPage, *Error) {
	if i, ok := b.byURL[string(url)]; ok {
		return &b.pages[i], nil
	}
	own := b.words.string(string(url))
	name := sitegraph.ServerName(own)
	switch {
	case name == "":
		return nil, bad("want http://host/path", "url is %q, not an absolute address", clip(url))
	case b.lines == 0:
		b.name = name
	case name != b.name:
		return nil, bad(
			"want one file for each server",
			"url is of the server %q, the lines before of %q",
			name,
			b.name,
		)
	}
	b.byURL[own] = int32(len(b.pages))
	b.pages = append(b.pages, openPage{Page: Page{URL: own}})
	return &b.pages[len(b.pages)-1], nil
}

// content fills in the content of the page: from the line, or unchanged from the last one. A page
// that was gone or redirected starts empty.
func (p *openPage) content(f *fields, v *Version) *Error {
	if n := len(p.Versions); n > 0 && p.Versions[n-1].Alive() {
		t := v.T
		*v = p.Versions[n-1]
		v.T = t
	}
	if f.has&^f.null&fieldDigest == 0 {
		return bad("only lines of gone and redirected pages may do without", "digest is missing")
	}
	if err := p.digest(f, fieldDigest, 0, &v.Digests.Bytes); err != nil {
		return err
	}
	if v.Digests.Bytes.IsZero() {
		return bad("leave pages without a body out", "digest is all zeros")
	}
	if err := p.digest(f, fieldText, 1, &v.Digests.Text); err != nil {
		return err
	}
	if err := p.digest(f, fieldMain, 2, &v.Digests.Main); err != nil {
		return err
	}
	v.Size = f.size
	if f.has&fieldLinks != 0 {
		v.Links, v.LinksKnown = f.links, f.null&fieldLinks == 0
	}
	if f.has&fieldFrames != 0 {
		v.Frames, v.FramesKnown = f.frames, f.null&fieldFrames == 0
	}
	return nil
}

// digest reads one of the three digests, if present. Digests of two algorithms always differ, so a
// page with both would seem to change.
func (p *openPage) digest(f *fields, name field, which int, d *sitegraph.Digest) *Error {
	if f.has&name == 0 {
		return nil
	}
	if f.null&name != 0 {
		*d = sitegraph.Digest{}
		return nil
	}
	text := *f.bytesOf(name)
	algorithm := "md5"
	if i := bytes.IndexByte(text, ':'); i >= 0 {
		algorithm = string(text[:i])
	}
	if was := &p.algorithms[which]; *was == "" {
		*was = algorithm
	} else if *was != algorithm {
		return bad(
			"want one algorithm for each url",
			"digest is of the algorithm %q, that of the lines before of %q",
			algorithm,
			*was,
		)
	}
	if len(text) == 2*len(d) && algorithm == "md5" {
		if _, err := hex.Decode(d[:], text); err == nil {
			return nil
		}
	}
	parsed, err := sitegraph.ParseDigest(string(text))
	if err != nil {
		e := bad("want 32 hexadecimal digits (MD5) or algorithm:value", "%v", err)
		e.Err = err
		return e
	}
	*d = parsed
	return nil
}

// finish puts all versions into one block: a page has ten on average, and the blocks in which they
// grew are half empty.
func (b *builder) finish() *Server {
	all := make([]Version, 0, b.lines)
	pages := make([]*Page, len(b.pages))
	for i := range b.pages {
		p := &b.pages[i]
		start := len(all)
		all = append(all, p.Versions...)
		pages[i] = &Page{URL: p.URL, Versions: slices.Clip(all[start:len(all):len(all)])}
		p.Versions = nil
	}
	return NewServer(b.name, b.t0, pages)
}
