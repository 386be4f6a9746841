package extract

import (
	"slices"
	"strings"
	"testing"
)

// TestForms checks which links lead to pages if documents count as pages.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		kinds []string
		url   string
		page  bool
	}{
		{nil, "http://h.example/a.pdf", false},
		{[]string{"pdf"}, "http://h.example/a.PDF?x=1", true},
		{[]string{"pdf"}, "http://h.example/a.docx", false},
		{[]string{"pdf", "office"}, "http://h.example/a.docx", true},
		{[]string{"text"}, "http://h.example/robots.txt", true},
		{[]string{"text"}, "http://h.example/style.css", false},
		{[]string{"json"}, "http://h.example/data.json", true},
		{[]string{"feed"}, "http://h.example/feed.xml", true},
		{FormNames(), "http://h.example/picture.png", false},
		{FormNames(), "http://h.example/page", true},
	} {
		forms, err := ParseForms(c.kinds)
		if err != nil || forms.IsPage(c.url) != c.page {
			t.Errorf("%v %s: %v, %v", c.kinds, c.url, forms.IsPage(c.url), err)
		}
	}
	if all, err := ParseForms(FormNames()); err != nil || all != AllForms {
		t.Errorf("%v is not all, %v", all, err)
	}
	if _, err := ParseForms([]string{"pdf", "djvu"}); err == nil {
		t.Error("djvu is a kind of documents")
	}
	forms, _ := ParseForms([]string{"pdf"})
	p := HTML([]byte("<a href=a.pdf><a href=b.doc><a href=c>"), "text/html", "http://h.example/",
		Options{Documents: forms})
	if want := []string{"http://h.example/a.pdf", "http://h.example/c"}; !slices.Equal(p.Links,
		want) {
		t.Errorf("links %v, want %v", p.Links, want)
	}
}

// TestDocument checks which text documents have, and that their digests differ exactly if the text
// does.
func TestDocument(t *testing.T) {
	for _, c := range []struct {
		form               Form
		kind, body, same   string
		other, text, title string
	}{
		{FormText, "text/plain; charset=iso-8859-1", "a <b> caf\xe9\n\n  &amp; c",
			"a <b>\ncaf\xe9 &amp; c", "a <b> cafe &amp; c", "a <b> café &amp; c", ""},
		{FormJSON, "application/json", `{"b": [1, "<x>"], "a": null}`, `{"a":null,"b":[1,"<x>"]}`,
			`{"b": [2, "<x>"], "a": null}`, `{ "a": null "b": [ 1 "<x>" ] }`, ""},
		{FormJSON, "application/json", "no  JSON", "no JSON", "no", "no JSON", ""},
		{FormXML, "text/xml", "<rss><item><title>a &amp; b</title><x y='z'/>",
			"<rss>\n<item><title>a &amp; b</title>\n<x y='z'></x>", "<rss><item><title>a</title>",
			"title: a & b x y=z:", "a & b"},
	} {
		read := func(body string) (p Page) {
			switch c.form {
			case FormText:
				return Plain([]byte(body), c.kind, Options{})
			case FormJSON:
				return JSON([]byte(body), Options{})
			}
			return XML([]byte(body), c.kind, Options{})
		}
		d := ReadDocument(c.form, []byte(c.body), c.kind)
		want := strings.TrimSpace(c.title + " " + c.text)
		if text := Text(d.HTML(), ShownType, false); text != want || d.Title != c.title {
			t.Errorf("%s shows %q with the title %q, want %q", c.body, text, d.Title, want)
		}
		text := read(c.body).Digests.Text
		if text != read(c.same).Digests.Text {
			t.Errorf("%s and %s differ", c.body, c.same)
		}
		if text == read(c.other).Digests.Text {
			t.Errorf("%s and %s are the same", c.body, c.other)
		}
	}
}
