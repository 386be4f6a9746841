package extract

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/recrawl/recrawl/sitegraph"
)

const placedPage = `<html lang=ja><head><title>A &amp; B</title><base href="/x/"></head><body>
<nav class=menu><a href="one">One  <b>link</b></a></nav>
<main><p>Caf&eacute; au&nbsp;lait, <i>s'il</i>
  vous pla&icirc;t. &#x4EAC;都は古い。<br>Next<script>no</script> line</p>
<div class=sidebar>beside <a href="two" rel=nofollow>two</a></div><a href=three><img></a></main>
<footer>© x</footer></body></html>`

// TestBodyPlaces checks that each word of a body is found at its place in the source, in any
// charset.
func TestBodyPlaces(t *testing.T) {
	for _, c := range []struct {
		name, contentType string
		encode            func(string) (string, error)
	}{
		{"utf-8", "text/html; charset=utf-8", func(s string) (string, error) { return s, nil }},
		{"utf-8 with mark", "text/html", func(s string) (string, error) {
			return "\ufeff" + s, nil
		}},
		{"shift_jis", "text/html; charset=shift_jis", japanese.ShiftJIS.NewEncoder().String},
		{"euc-jp", "text/html; charset=euc-jp", japanese.EUCJP.NewEncoder().String},
		{"iso-2022-jp", "text/html; charset=iso-2022-jp", japanese.ISO2022JP.NewEncoder().String},
		{"utf-16le", "text/html; charset=utf-16le",
			unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := placedPage
			if !strings.HasPrefix(c.name, "utf") {
				page = strings.ReplaceAll(page, "©", "(c)") // missing in some of these charsets
			}
			source, err := c.encode(page)
			if err != nil {
				t.Fatal(err)
			}
			p := HTML([]byte(source), c.contentType, "http://a.example/",
				Options{Body: true, Main: true})
			b := p.Body
			if got := b.MainText(); sitegraph.DigestOf([]byte(got)) != p.Digests.Main {
				t.Errorf("main text is %q", got)
			}
			if want := "Café au lait, s'il vous plaît. 京都は古い。"; b.Title.Text != "A & B" ||
				b.Passages[1].Text != want {
				t.Errorf("title %q, first passage %q", b.Title.Text, b.Passages[1].Text)
			}
			want := []Anchor{{"http://a.example/x/one", "One link"},
				{"http://a.example/x/three", ""}}
			if !slices.Equal(b.Anchors, want) {
				t.Errorf("anchors are %q", b.Anchors)
			}
			checkPlaces(t, source, c.contentType, b)
		})
	}
}

// checkPlaces reads the words of each text again at their places in the source. For a charset with
// states it reads from the start of the passage.
func checkPlaces(t *testing.T, source, contentType string, b *Body) {
	t.Helper()
	for _, p := range append([]Passage{b.Title}, b.Passages...) {
		for from := 0; from < len(p.Text); {
			to := from + strings.IndexByte(p.Text[from:]+" ", ' ')
			if to > from {
				offset, length := p.Source(from, to)
				if offset < 0 || length <= 0 || offset+length > len(source) {
					t.Fatalf("%q is at %d and has %d octets of %d",
						p.Text[from:to], offset, length, len(source))
				}
				got := Text([]byte(source[offset:offset+length]), contentType, false)
				if got != p.Text[from:to] && !strings.Contains(contentType, "2022") {
					t.Errorf("%q is %q in the source, %q",
						p.Text[from:to], source[offset:offset+length], got)
				}
			}
			from = to + 1
		}
	}
}

// FuzzBody checks that texts are those of the digests, and that places lie within the page, in
// order.
func FuzzBody(f *testing.F) {
	f.Add([]byte(placedPage), "text/html")
	f.Add([]byte("0&nbsp0"), "0")
	f.Add([]byte("x<a class=sidebar>y"), "text/html")
	f.Add([]byte("<p>a&ampb &nbsp;c&#0;<main><main>x</main>\xff\xe3\x80</main><title>y"),
		"text/html; charset=utf-8")
	f.Add([]byte("\x1b$B5~ET\x1b(B<p>x"), "text/html; charset=iso-2022-jp")
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		p := HTML(page, contentType, "http://a.example/", Options{Body: true, Main: true})
		// Tree and tokenizer disagree about control characters in tag names.
		odd := bytes.ContainsFunc(page, func(r rune) bool {
			return r < ' ' && !strings.ContainsRune("\t\r\n", r)
		})
		if p.Charset == "utf-8" && !p.Cut && !odd &&
			sitegraph.DigestOf([]byte(p.Body.MainText())) != p.Digests.Main {
			want := Text(page, contentType, true)
			if want != p.Body.MainText() && !oneText(p.Body, want) {
				t.Fatalf("main text is %q, want %q", p.Body.MainText(), want)
			}
		}
		for _, passage := range p.Body.Passages {
			last := 0
			for at := range len(passage.Text) {
				if passage.Text[at] == ' ' {
					continue
				}
				offset, length := passage.Source(at, at+1)
				if offset < last || offset+length > len(page) || length < 0 {
					t.Fatalf("octet %d of %q is at %d, %d octets", at, passage.Text, offset, length)
				}
				last = offset
			}
		}
	})
}

// oneText reports whether the main text of a page without a tree is all its text except its title.
func oneText(b *Body, all string) bool {
	return strings.TrimSpace(b.Title.Text+" "+b.MainText()) == all
}
