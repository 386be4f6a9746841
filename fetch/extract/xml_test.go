package extract

import (
	"net/http"
	"testing"
	"unicode/utf8"
)

func TestFormOf(t *testing.T) {
	for _, c := range []struct {
		kind, body string
		want       Form
	}{
		{"text/html", "{}", FormNone},
		{"application/xhtml+xml", "<?xml version='1.0'?>", FormNone},
		{"application/ld+json; charset=utf-8", "x", FormJSON},
		{"application/json", "", FormJSON},
		{"application/atom+xml", "", FormXML},
		{"image/svg+xml", "<svg>", FormXML},
		{"text/xml", "", FormXML},
		{"text/x-yaml", "\x00", FormText},
		{"application/yaml", "a: 1", FormText},
		{"application/javascript", "var a", FormText},
		{"", "plain", FormText},
		{"", "{\"a\": 1}", FormJSON},
		{"", "<?xml version='1.0'?><a/>", FormXML},
		{"", "<!doctype html>", FormNone},
		{"binary/octet-stream", "plain", FormText},
		{"application/octet-stream", "\x7fELF\x00", FormNone},
		{"application/pdf", "%PDF-1.7", FormPDF},
		{"application/octet-stream", "%PDF-1.7", FormPDF},
		{"application/msword", "", FormOffice},
		{"application/vnd.oasis.opendocument.text", "", FormOffice},
		{"application/octet-stream", "PK\x03\x04word/document.xml", FormOffice},
		{"application/zip", "PK\x03\x04", FormNone},
		{"image/png", "plain", FormNone},
		{"video/mp4", "", FormNone},
	} {
		looks := http.DetectContentType([]byte(c.body))
		if got := FormOf(c.kind, looks, []byte(c.body)); got != c.want {
			t.Errorf("%q %q: %v, want %v", c.kind, c.body, got, c.want)
		}
	}
}

// FuzzXML checks that texts are valid UTF-8 whatever a document is.
func FuzzXML(f *testing.F) {
	f.Add([]byte("<rss><channel><pubDate>x</pubDate><item><title>a<![CDATA[<b>&amp;]]></item>"))
	f.Add([]byte("<?xml version='1.0' encoding='iso-8859-1'?><a b='\xe4' c>\xe4</ <![CDATA["))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 1<<14 {
			return
		}
		p := XML(body, "text/xml", Options{Watched: []*Rule{rule(t, RuleSpec{})}})
		if text := p.Watched.Texts[0]; !utf8.ValidString(text) ||
			!utf8.ValidString(p.Watched.Title) {
			t.Errorf("%q is no UTF-8", text)
		}
	})
}
