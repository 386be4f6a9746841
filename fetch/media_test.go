package fetch

import (
	"testing"

	"github.com/recrawl/recrawl/fetch/extract"
)

func TestXHTMLByAnotherName(t *testing.T) {
	for page, want := range map[string]bool{
		"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- <rss> -->\n<!DOCTYPE html PUBLIC \"x\" \"y\">\n" +
			"<html xmlns='http://www.w3.org/1999/xhtml'>": true,
		"<html>":      true,
		"<rss><html>": false,
		"<?xml version='1.0'?><feed><content><html>": false,
		"<htmlx>":                 false,
		"<!-- <html> --><urlset>": false,
	} {
		for _, kind := range []string{"text/xml", "application/xml; charset=utf-8"} {
			if got := isHTML(kind, []byte(page)); got != want {
				t.Errorf("%q as %s is a page: %v", page, kind, got)
			}
		}
	}
}

func TestTypes(t *testing.T) {
	const page = "<!DOCTYPE html><p>x"
	for _, c := range []struct {
		contentType, kind string
		page              bool // the body is a page
	}{
		{"text/html", "text/html", true},
		{"Text/HTML; Charset=\"utf-8\"", "text/html", true},
		{"text/html;", "text/html", true},
		{" text/html ; x", "text/html", true},
		{"text/html charset=utf-8", "text/html", true},
		{"text/html,text/html", "text/html", true},
		{"text/plain, text/html; charset=utf-8", "text/html", true},
		{"text/html, */*", "text/html", true},
		{"text/html, , nonsense", "text/html", true},
		{"text/html, application/json", "application/json", false},
		{`"text/html"`, "text/html", true},
		{"'text/html; charset=utf-8'", "text/html", true},
		{"text/html；charset=utf-8", "text/html", true},
		{"application/xhtml+xml;charset=utf-8", "application/xhtml+xml", true},
		{"", "", true},
		{"html", "", true},
		{"text", "", true},
		{"text/", "", true},
		{"/html", "", true},
		{"ünicode/html", "", true},
		{"*/*", "", true},
		{"charset=utf-8", "", true},
		{"; charset=utf-8", "", true},
		{"unknown/unknown", "unknown/unknown", true},
		{"text/plain", "text/plain", false},
		{"text/htmlx", "text/htmlx", false},
		{"application/octet-stream", "application/octet-stream", false},
	} {
		if kind := extract.MediaType(c.contentType); kind != c.kind {
			t.Errorf("%q is %q, want %q", c.contentType, kind, c.kind)
		}
		if got := isHTML(c.contentType, []byte(page)); got != c.page {
			t.Errorf("a page as %q: %v", c.contentType, got)
		}
		if c.kind == "" && isHTML(c.contentType, []byte("\x89PNG\r\n\x1a\n")) {
			t.Errorf("an image as %q is a page", c.contentType)
		}
	}
}
