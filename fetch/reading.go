package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"

	"github.com/recrawl/recrawl/fetch/document"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/sitegraph"
)

// Reading is a body, and what it is to be read as.
type Reading struct {
	URL         string // of the page or source
	ContentType string // as the server named it
	Source      bool   // a feed or sitemap, no page
	// Forms are those of documents that are pages here, beside HTML.
	Forms extract.Forms
	// Shown asks for what a document has to show, and for nothing else (Content.Document).
	Shown bool
	Page  extract.Options
	Body  []byte
}

// Content is what was read of a body: a page or a source.
type Content struct {
	Page    extract.Page
	Listing feeds.Listing
	None    bool   // it is no source
	Missing string // why that is not all of a source; "": it is

	Document *extract.Document // of a file, or what was Shown; nil: it is HTML
	Unread   string            // why the text of a file cannot be read; "": it can, or it is no file
}

// IsFile reports whether what is to be read is a file, whose reader needs limits.
func (r *Reading) IsFile() bool { return !r.Source && r.form().IsFile() }

// form returns the form of a document that is a page here; FormNone: it is read as HTML.
func (r *Reading) form() extract.Form {
	if form := formOf(r.ContentType, r.Body); r.Forms.Has(form) {
		return form
	}
	return extract.FormNone
}

// reading has a place for each body that is being parsed: one for each processor. A page takes
// several times its size while it is parsed, and on a busy machine all workers would parse at once,
// which gains nothing.
var reading = make(chan struct{}, runtime.GOMAXPROCS(0))

// Read reads a body. It is what a client does by itself. It waits for a processor, and fails where
// its context ends before that or a parser panics: that costs the page and nothing else.
func Read(ctx context.Context, r Reading) (Content, error) {
	select {
	case reading <- struct{}{}:
		defer func() { <-reading }()
	case <-ctx.Done():
		return Content{}, ctx.Err()
	}
	return surviving(parse, r)
}

// surviving makes a panic of a parser an error.
func surviving(parse func(Reading) Content, r Reading) (c Content, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			c, err = Content{}, fmt.Errorf("reading it failed: %v", fault)
		}
	}()
	return parse(r), nil
}

// formOf returns how an answer that is no HTML is read.
func formOf(contentType string, body []byte) extract.Form {
	if isHTML(contentType, body) {
		return extract.FormNone
	}
	return extract.FormOf(contentType, http.DetectContentType(body), body)
}

func parse(r Reading) (c Content) {
	if !r.Source {
		form := r.form()
		if r.Shown && !form.IsFile() {
			if form != extract.FormNone {
				d := extract.ReadDocument(form, r.Body, r.ContentType)
				c.Document = &d
			}
			return c
		}
		switch form {
		case extract.FormPDF, extract.FormOffice:
			d, err := document.Read(form, r.Body)
			if err != nil {
				return Unread(r, err)
			}
			return fileContent(r, d)
		case extract.FormJSON:
			c.Page = extract.JSON(r.Body, r.Page)
		case extract.FormXML:
			c.Page = extract.XML(r.Body, r.ContentType, r.Page)
		case extract.FormText:
			c.Page = extract.Plain(r.Body, r.ContentType, r.Page)
		default:
			c.Page = extract.HTML(r.Body, r.ContentType, r.URL, r.Page)
		}
		return c
	}
	listing, err := feeds.Read(r.Body, r.ContentType, r.URL)
	c.Listing, c.None = listing, errors.Is(err, feeds.ErrNone)
	if err != nil {
		c.Missing = err.Error()
	}
	return c
}

// fileContent is a file as a page: what it shows is its content, not the octets, in which programs
// note when they wrote it.
func fileContent(r Reading, d extract.Document) (c Content) {
	if c.Document = &d; r.Shown {
		return c
	}
	c.Page = extract.HTML(d.HTML(), extract.ShownType, r.URL, r.Page)
	c.Page.Digests.Bytes = c.Page.Digests.Text
	if c.Page.Watched != nil {
		c.Page.Watched.Dated = d.Date
	}
	d.Lines = nil
	return c
}

// Unread is the content of a file whose text cannot be read, for a reason: its octets count.
func Unread(r Reading, why error) Content {
	c := fileContent(r, extract.Document{Lines: []string{
		"A file of which the text cannot be read; its bytes have the MD5 " +
			sitegraph.DigestOf(r.Body).String() + "."}})
	c.Unread = why.Error()
	return c
}
