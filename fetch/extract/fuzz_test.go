package extract

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/recrawl/recrawl/sitegraph"
)

// FuzzHTML checks the guarantees on any page. Links are canonical, each once, with the frames; the
// same page gives the same result; a comment before the page changes no text or link.
func FuzzHTML(f *testing.F) {
	f.Add(
		[]byte(
			`<base href=/x/><a href="a">t</a><frame src=a><meta http-equiv=refresh content="1;url=b">`), "text/html")
	f.Add([]byte("\xff\xfe<\x00a\x00"), "text/html; charset=shift_jis")
	f.Add([]byte("<main><p>x<nav>y</main><table><a>z"), "")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		if len(body) > 1<<14 {
			return
		}
		p := HTML(body, contentType, self, Options{Main: true, Sketch: true})
		seen := map[string]bool{self: true}
		for _, url := range p.Links {
			if c, err := sitegraph.Canonical(url); err != nil || c != url {
				t.Errorf("link %q is not canonical: %q %v", url, c, err)
			}
			if seen[url] {
				t.Errorf("link %q is there twice, or the page itself", url)
			}
			seen[url] = true
			if !IsPage(url) || strings.Contains(url, "#") || len(url) > MaxAddress {
				t.Errorf("link %q should have been left out", url)
			}
		}
		for _, url := range p.Frames {
			if !slices.Contains(p.Links, url) {
				t.Errorf("frame %q is not among the links", url)
			}
		}
		if p.NoFollow && len(p.Links) > 0 {
			t.Error("links of a page that forbids to follow them")
		}
		again := HTML(body, contentType, self, Options{Main: true})
		if again.Digests != p.Digests || !slices.Equal(again.Links, p.Links) {
			t.Error("the same page twice differs")
		}
		if startsWithMark(body) || p.Charset != "utf-8" {
			return // a mark counts only at the start
		}
		after := HTML(append([]byte("<!--x-->"), body...), "text/html; charset=utf-8", self,
			Options{Main: true})
		before := HTML(body, "text/html; charset=utf-8", self, Options{Main: true})
		if after.Digests.Text != before.Digests.Text || !slices.Equal(after.Links, before.Links) {
			t.Error("a comment changes text or links")
		}
	})
}

// startsWithMark reports whether a byte order mark, whole or cut, decides the encoding.
func startsWithMark(body []byte) bool {
	return len(body) > 0 && (body[0] == 0xef || body[0] == 0xfe || body[0] == 0xff)
}

// FuzzDirectives checks that directives for one crawler hold for no other.
func FuzzDirectives(f *testing.F) {
	f.Add("noarchive, max-snippet:-1, unavailable_after: 25 Jun 2010 15:00:00 PST")
	f.Add("nofollow, otherbot: noindex; robots : none")
	f.Fuzz(func(t *testing.T, line string) {
		alone := NoArchive("mybot", []string{line})
		if NoArchive("mybot", []string{"mybot: " + line}) != alone {
			t.Errorf("%q: other rules when it is addressed to us", line)
		}
		if !strings.ContainsAny(line, ":") && NoArchive("mybot", []string{"other: " + line}) {
			t.Errorf("%q: a rule of another crawler holds for us", line)
		}
	})
}

// FuzzText checks that reading visible text again does not change it.
func FuzzText(f *testing.F) {
	f.Add([]byte(" a \t\u00a0b\u3000 \xc2\xe3c "))
	f.Add([]byte("cafe\u0301 \u200b\u00ad\u0645\u06cc\u200c\u202f\u1100\u1161\u200d\u0958\u2126"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) {
			return // halves of characters may meet
		}
		once := appendText(nil, text)
		if twice := appendText(nil, once); string(twice) != string(once) {
			t.Errorf("%q becomes %q", once, twice)
		}
		if strings.Contains(string(once), "  ") {
			t.Errorf("%q becomes %q", text, once)
		}
	})
}
