package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/source"
)

// Reading is a body, and what it is to be read as.
type Reading struct {
	URL         string // of the page or source
	ContentType string // as the server named it
	Source      bool   // a feed or sitemap, no page
	Page        extract.Options
	Body        []byte
}

// Content is what was read of a body: a page or a source.
type Content struct {
	Page    extract.Page
	Listing source.Listing
	None    bool   // it is no source
	Missing string // why that is not all of a source; "": it is
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

// formOf returns how an answer that is no HTML is watched.
func formOf(contentType string, body []byte) extract.Form {
	return extract.FormOf(contentType, http.DetectContentType(body), body)
}

func parse(r Reading) (c Content) {
	watched := len(r.Page.Watched) > 0
	if !r.Source {
		form := extract.FormNone
		if watched || r.Page.Rule.JSON() && extract.IsJSON(r.ContentType) {
			form = formOf(r.ContentType, r.Body)
		}
		switch form {
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
	listing, err := source.Read(r.Body, r.ContentType, r.URL)
	c.Listing, c.None = listing, errors.Is(err, source.ErrNone)
	if err != nil {
		c.Missing = err.Error()
	}
	return c
}
