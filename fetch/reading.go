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

// Reading is a body and how to read it.
type Reading struct {
	URL         string // of the page or source
	ContentType string // as the server named it
	Source      bool   // a feed or sitemap instead of a page
	// Forms are the forms of documents that count as pages here, besides HTML.
	Forms extract.Forms
	// Shown requests only the visible content of a document (Content.Document).
	Shown bool
	Page  extract.Options
	Body  []byte
}

// Content is the result of reading a body: a page or a source.
type Content struct {
	Page    extract.Page
	Listing feeds.Listing
	None    bool   // the body is no source
	Missing string // why a part of a source is missing; "": none is

	Document *extract.Document // a file, or the result for Shown; nil: the body is HTML
	Unread   string            // why the text of a file cannot be read; "": it was, or there is no file
}

// IsFile reports whether the body is a file, whose reader needs limits.
func (r *Reading) IsFile() bool { return !r.Source && r.form().IsFile() }

// form returns the form of a document that counts as a page here, or FormNone for HTML.
func (r *Reading) form() extract.Form {
	if form := formOf(r.ContentType, r.Body); r.Forms.Has(form) {
		return form
	}
	return extract.FormNone
}

// reading has a place for each body that is parsed: one for each processor. A page takes several
// times its size while it is parsed, and more parsers than processors gain nothing.
var reading = make(chan struct{}, runtime.GOMAXPROCS(0))

// Read reads a body in this process. It waits for a processor. It fails if its context ends first
// or a parser panics, so that a panic costs one page.
func Read(ctx context.Context, r Reading) (Content, error) {
	select {
	case reading <- struct{}{}:
		defer func() { <-reading }()
	case <-ctx.Done():
		return Content{}, ctx.Err()
	}
	return surviving(parse, r)
}

// surviving turns a panic of a parser into an error.
func surviving(parse func(Reading) Content, r Reading) (c Content, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			c, err = Content{}, fmt.Errorf("reading it failed: %v", fault)
		}
	}()
	return parse(r), nil
}

// formOf returns the form of an answer that is not HTML.
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

// fileContent returns a file as a page. Its visible text is the content. Its octets are not,
// because programs write the time of saving into them.
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

// Unread returns the content of a file whose text cannot be read for the reason why: its octets
// count.
func Unread(r Reading, why error) Content {
	c := fileContent(r, extract.Document{Lines: []string{
		"A file of which the text cannot be read; its bytes have the MD5 " +
			sitegraph.DigestOf(r.Body).String() + "."}})
	c.Unread = why.Error()
	return c
}
