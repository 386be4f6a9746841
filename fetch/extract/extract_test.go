package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/recrawl/recrawl/sitegraph"
)

const self = "http://h.example/dir/page.html"

func read(html string) Page {
	return HTML([]byte(html), "text/html", self, Options{Agent: "recrawl", Main: true})
}

func TestLinks(t *testing.T) {
	for _, c := range []struct{ name, html, links string }{
		{"relative", `<a href="a.html"><a href="/b"><a href="../c/">`,
			"http://h.example/dir/a.html http://h.example/b http://h.example/c/"},
		{"other servers", `<a href="//o.example/x"><a href=https://p.example>`,
			"http://o.example/x https://p.example/"},
		{"fragments and doubles", `<a href="a#1"><a href="a#2"><a href="#top"><a href="a">`,
			"http://h.example/dir/a"},
		{"itself", `<a href="page.html"><a href=""><a href="page.html#x"><a href="?q">`,
			"http://h.example/dir/page.html?q"},
		{"area, iframe, frame",
			`<map><area href=a></map><iframe src=b></iframe><frameset><frame src=c></frameset>`,
			"http://h.example/dir/a http://h.example/dir/b http://h.example/dir/c"},
		{"refresh", `<meta http-equiv=Refresh content="5; URL='n.html'">`,
			"http://h.example/dir/n.html"},
		{"other schemes", `<a href="mailto:x@y"><a href="javascript:f()"><a href="data:text/html,x"><a href="ftp://h/"><a href="file:///etc/x">`, ""},
		{"case and entities", `<A HREF="a?x=1&amp;y=2">`, "http://h.example/dir/a?x=1&y=2"},
		{"first attribute counts", `<a href=a href=b>`, "http://h.example/dir/a"},
		{"base", `<a href=a><base target=x><base href="/other/"><base href="http://no.example/"><a href=b>`, "http://h.example/other/a http://h.example/other/b"},
		{"base of another scheme", `<base href="file:///x/"><a href=a>`, "http://h.example/dir/a"},
		{"rel nofollow", `<a rel="external NoFollow" href=a><a rel=next href=b>`,
			"http://h.example/dir/b"},
		{"meta nofollow", `<meta name=robots content="noindex, nofollow"><a href=a>`, ""},
		{"not in comments and scripts",
			`<!-- <a href=a> --><script>"<a href=b>"</script><textarea><a href=c></textarea>`, ""},
		{"no pages", `<a href=x.pdf><a href="y.PNG?z"><a href=z.tar.gz><a href=v1.2><a href=feed.xml>`, "http://h.example/dir/v1.2"},
		{"unclosed", `<a href="a">x<a href="b`, "http://h.example/dir/a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(c.html).Links; !slices.Equal(got, strings.Fields(c.links)) {
				t.Errorf("%v, want %v", got, c.links)
			}
		})
	}
}

func TestFrames(t *testing.T) {
	p := read(
		`<frameset><frame src=menu.html><frame src=text.html></frameset><noframes><a href=text.html></noframes><iframe src=i.html></iframe>`)
	if want := []string{"http://h.example/dir/menu.html",
		"http://h.example/dir/text.html"}; !slices.Equal(p.Frames, want) {
		t.Errorf("frames %v, want %v", p.Frames, want)
	}
	p = read(`<a href=a><frame src=a><frame src=a#x>`)
	if len(p.Links) != 1 || len(p.Frames) != 1 {
		t.Errorf("links %v, frames %v: want the one address in both", p.Links, p.Frames)
	}
}

func TestRobotsDirectives(t *testing.T) {
	for _, c := range []struct {
		html, tag         string
		noIndex, noFollow bool
	}{
		{`<meta name="ROBOTS" content="NOINDEX,follow">`, "", true, false},
		{`<meta name=robots content=none>`, "", true, true},
		{`<meta name=recrawl content=noindex>`, "", true, false},
		{`<meta name=otherbot content=noindex>`, "", false, false},
		{`<meta name=robots content=index><body><meta name=robots content=noindex>`, "", true,
			false},
		{`<!-- <meta name=robots content=none> --><script><meta name=robots content=none></script>`,
			"", false, false},
		{``, "noindex", true, false},
		{``, "recrawl: noindex, nofollow", true, true},
		{``, "otherbot: noindex, nofollow", false, false},
		{``, "unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", true, false},
		{``, "max-snippet:20, nofollow", false, true},
		// rules of several crawlers in one line
		{``, "nofollow, otherbot: noindex", false, true},
		{``, "otherbot: noindex, recrawl: nofollow", false, true},
		{``, "googlebot: noindex, RECRAWL: nofollow, noarchive, bingbot: noindex", false, true},
		{``, "BadBot: noindex, nofollow, recrawl: noindex", true, false},
		{``, "otherbot: none", false, false},
		{``, "otherbot: none; recrawl: none", true, true},
		{``, "otherbot: noindex recrawl : nofollow", false, true},
		{``, "recrawl/1.0: nofollow", false, true},
		{``, "otherbot: noindex, *: nofollow", false, true},
		{``, "otherbot: nofollow, recrawl, onebot: noindex", true, false},
		{``, "otherbot, onebot: noindex", false, false},
		{``, `"noindex, nofollow"`, true, true},
		{`<meta name="otherbot, Recrawl" content=noindex>`, "", true, false},
		{`<meta name="otherbot,onebot" content=noindex>`, "", false, false},
		{``, "recrawler: noindex, recrawl-news: nofollow", false, false},
		{``, "otherbot: max-snippet:-1, noindex", false, false},
		{``, "max-snippet: -1, max-image-preview: large, noindex", true, false},
		{``, "otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", false, false},
		{``, "unavailable_after: Wed, 25 Jun 2010 15:00:00 GMT, otherbot: noindex, robots: nofollow",
			false, true},
		{``, "unavailable_after: 2010-06-25T15:00:00+02:00, noindex", true, false},
		{``, "unavailable_after: 25-Jun-2010, 15:00:00 GMT-02:00, noindex", true, false},
		{`<meta name=robots content="nofollow, otherbot: noindex">`, "", false, true},
		{`<meta name="Recrawl " content="max-snippet:-1, NoIndex">`, "", true, false},
		{`<meta name=googlebot content="recrawl: noindex">`, "", false, false},
	} {
		p := HTML([]byte(c.html), "text/html", self,
			Options{Agent: "recrawl", RobotsTags: []string{c.tag}})
		if p.NoIndex != c.noIndex || p.NoFollow != c.noFollow {
			t.Errorf("%q %q: noindex %v, nofollow %v", c.html, c.tag, p.NoIndex, p.NoFollow)
		}
	}
}

func TestNoArchiveOfSeveralCrawlers(t *testing.T) {
	for line, want := range map[string]bool{
		"noarchive": true, "otherbot: noarchive": false, "otherbot: noindex, mybot: noarchive": true,
		"mybot: noindex, otherbot: noarchive": false, "otherbot: nofollow, NOARCHIVE": false,
		"noarchive, otherbot: noindex": true, "max-snippet:-1, noarchive": true,
	} {
		if got := NoArchive("MyBot", []string{"nofollow", line}); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestRefreshTarget(t *testing.T) {
	for content, want := range map[string]string{
		"5; url=a": "a", "0;URL=a b": "a b", "5,url = 'a'x": "a", `5 url="a`: "a", "5": "", "": "",
		"url=a": "", "5; a": "a", "1.5;url=": "", "5;'": "",
	} {
		if got := refreshTarget(content); got != want {
			t.Errorf("refreshTarget(%q) = %q, want %q", content, got, want)
		}
	}
}

// TestCharset checks that a text has equal digests in every encoding.
func TestCharset(t *testing.T) {
	const text = "<p>Grüße</p>"
	want := read(text).Digests.Text
	latin, _ := charmap.ISO8859_1.NewEncoder().String(text)
	utf16, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	for _, c := range []struct{ name, body, contentType, charset string }{
		{"mark before header", "\xef\xbb\xbf" + text, "text/html; charset=iso-8859-1", "utf-8"},
		{"UTF-16 by mark", utf16, "text/html", "utf-16le"},
		{"header", latin, "text/html; charset=ISO-8859-1", "windows-1252"},
		{"header before meta", latin, "text/html; charset=latin1", "windows-1252"},
		{"nothing, valid", text, "", "utf-8"},
		{"nothing, late", strings.Repeat(" ", 2000) + text, "text/html", "utf-8"},
		{"nothing, not valid", latin, "text/html", "windows-1252"},
		{"unknown label", text, "text/html; charset=x-none", "utf-8"},
		{"UTF-7 is never read", text, "text/html; charset=utf-7", "utf-8"},
	} {
		p := HTML([]byte(c.body), c.contentType, self, Options{})
		if p.Charset != c.charset || p.Digests.Text != want {
			t.Errorf("%s: charset %q, want %q; text equal: %v",
				c.name, p.Charset, c.charset, p.Digests.Text == want)
		}
	}
	sjis, _ := japanese.ShiftJIS.NewEncoder().String(`<meta charset=Shift_JIS><p>日本`)
	if p := HTML([]byte(sjis), "", self, Options{}); p.Charset != "shift_jis" ||
		p.Digests.Text != read("<p>日本").Digests.Text {
		t.Errorf("meta: charset %q", p.Charset)
	}
}

func TestDigests(t *testing.T) {
	page := func(nav, style, text string) Page {
		return read(fmt.Sprintf(`<html><head><style>%s</style></head><body><nav>%s</nav><div class="Sidebar">%s</div>
<p>%s</p><footer>%s</footer></body></html>`, style, nav, nav, text, nav))
	}
	a := page("menu", "x", "hello world")
	for _, c := range []struct {
		name               string
		p                  Page
		bytes, text, inner bool // equal to those of a
	}{
		{"same", page("menu", "x", "hello world"), true, true, true},
		{"style", page("menu", "y", "hello world"), false, true, true},
		{"white space", page("menu", "x", "hello\n\t world "), false, true, true},
		{"comment", page("menu", "x", "hello <!-- 7 -->world"), false, true, true},
		{"inline tags", page("menu", "x", "<b>hel</b>lo world"), false, true, true},
		{"script", page("menu", "x", "<script>now()</script>hello world"), false, true, true},
		{"navigation", page("menu2", "x", "hello world"), false, false, true},
		{"words", page("menu", "x", "hello moon"), false, false, false},
	} {
		d := c.p.Digests
		if (d.Bytes == a.Digests.Bytes) != c.bytes || (d.Text == a.Digests.Text) != c.text ||
			(d.Main == a.Digests.Main) != c.inner {
			t.Errorf("%s: equal bytes %v, text %v, main %v", c.name, d.Bytes == a.Digests.Bytes,
				d.Text == a.Digests.Text, d.Main == a.Digests.Main)
		}
	}
	if read(`<p>x</p><main>y</main>`).Digests.Main != read(
		`<div>other</div><main>y</main><p>z`).Digests.Main {
		t.Error("what is outside <main> counts")
	}
	if read("").Digests.Text.IsZero() || read("").Digests.Main.IsZero() {
		t.Error("an empty page has no digest")
	}
	if p := HTML([]byte("x"), "", self, Options{}); !p.Digests.Main.IsZero() {
		t.Error("main was not wanted")
	}
}

// TestLooksTheSame checks that texts which look the same have equal digests, also in the body's
// passages and under a rule.
func TestLooksTheSame(t *testing.T) {
	rule, err := NewRule(RuleSpec{Part: "text", IgnoreText: []string{"[0-9]+ views"}})
	if err != nil {
		t.Fatal(err)
	}
	look := func(text string) (Page, string) {
		p := HTML([]byte("<main><p>"+text+"</p></main>"), "text/html; charset=utf-8", self,
			Options{Main: true, Body: true, Watched: []*Rule{rule}})
		if sitegraph.DigestOf([]byte(p.Body.MainText())) != p.Digests.Main {
			t.Errorf("main text of the body of %q is %q", text, p.Body.MainText())
		}
		checkPlaces(t, "<main><p>"+text+"</p></main>", "text/html; charset=utf-8", p.Body)
		return p, p.Watched.Texts[0]
	}
	for _, c := range []struct {
		text         string
		same, others []string
	}{
		{"10 euros café", []string{
			"10&nbsp;euros café", "10\u202feuros café", "10&thinsp;euros&emsp;&ensp;café",
			"10\u2009\u200aeuros\u205fcafé", "10\u3000euros café", "10\u2028euros\u2029café",
			"10\u1680euros\u0085café", "10 \u200beuros caf\u00e9", "10 eu&shy;r\u00ados café",
			"10 euros &lrm;café&rlm;",
			"\u202a10\u202c euros \u2066café\u2069", "10 euros \ufeffcafé",
			"10 eu\u2060ros &NoBreak;café", "10 euros cafe\u0301", "10 euros cafe&#x301;",
			"10 euros caf<b>e</b>&#x301;",
			"10 euros <i>cafe</i>\u0301", "10\u200c euros\u200d café",
			"10 euros \u061ccafé",
			"\u200b 10 euros café \u200b", "10 \u2000 euros c\u200b\u200bafé",
		}, []string{"10euros café", "10 euros cafe", "10 euros cafe\u0300"}},
		// A half space of Persian, and a joiner of Devanagari.
		{"می\u200cخواهم", []string{"می&zwnj;خواهم", "می\u200c\u200b\u200cخواهم",
			"\u200cمی\u200cخواهم\u200c", "می\u200cخواهم\u200c "}, []string{"میخواهم", "می خواهم"}},
		{"क्\u200dष", []string{"क&#x94d;&zwj;ष"}, []string{"क्ष"}},
		{"👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", nil, []string{"👨👩👧 ❤\ufe0f🔥"}},
		{"가 Å क\u093c \u05d0\u05b7", []string{"\u1100\u1161 \u212b \u0958 \ufb2e",
			"&#x1100;<b>&#x1161;</b> A\u030a क\u093c &#64302;"}, nil},
		{"a\u0323\u0302", []string{"a\u0302\u0323", "\u1ead", "a<b>\u0302</b>\u0323"},
			[]string{"a\u0302"}},
		{"e-mail x-y", []string{"e\u2011mail x\u2010y", "e&#8209;mail\u2800x&hyphen;y",
			"e-m\u034fail\u3164x\ufff9-y\ufffb", "e-mail\U000e0041 x\U000e0042-y",
			"e-ma\u180eil x-y"},
			[]string{"e–mail x-y", "email x-y"}},
		{"🏴\U000e0067\U000e0062\U000e007f ᠨᠠ\u180eᠠ", nil,
			[]string{"🏴 ᠨᠠ\u180eᠠ", "🏴\U000e0067\U000e0062\U000e007f ᠨᠠᠠ"}},
	} {
		want, wanted := look(c.text)
		for _, same := range c.same {
			p, watched := look(same)
			if p.Digests.Text != want.Digests.Text || p.Digests.Main != want.Digests.Main ||
				watched != wanted {
				t.Errorf("%+q is %+q, that is another text than %+q",
					same, Text([]byte(same), "text/html; charset=utf-8", false), c.text)
			}
		}
		for _, other := range c.others {
			if p, _ := look(other); p.Digests.Text == want.Digests.Text {
				t.Errorf("%+q is the same text as %+q", other, c.text)
			}
		}
	}
	r, _ := NewRule(RuleSpec{Part: "text", JSON: &JSONRuleSpec{Watch: []string{"$.price"}}})
	plain := JSON([]byte(`{"price": "10 €"}`), Options{Rule: r})
	for _, same := range []string{`{"price":"10\u00a0€"}`, "{\"price\":\"10\u202f\u200b€\"}"} {
		if JSON([]byte(same), Options{Rule: r}).Digests.Main != plain.Digests.Main {
			t.Errorf("%s is another value", same)
		}
	}
}

// TestPlainTextAllocates checks that ASCII text is appended without an allocation.
func TestPlainTextAllocates(t *testing.T) {
	buf, text := make([]byte, 0, 1000), []byte(" Some  words\nof a page & more. ")
	if n := testing.AllocsPerRun(100, func() { buf = appendText(buf[:0], text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestHostilePages checks that pages on which trees take quadratic time or fail are read in two
// seconds. The links before the trouble are kept.
func TestHostilePages(t *testing.T) {
	if testing.Short() {
		t.Skip("reads megabytes, one body after the other")
	}
	const size = 1 << 20
	many := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var roots strings.Builder
	for i := 0; roots.Len() < size; i++ {
		fmt.Fprintf(&roots, "<html a%d>", i)
	}
	for name, html := range map[string]string{
		"deep":          many("<div>"),
		"roots":         roots.String(),
		"misnested":     many("<a><p>"),
		"formatting":    many("<b><i><p>"),
		"tables":        many("<table><td>"),
		"foreign":       many("<svg><math>"),
		"select":        many("<select><option>"),
		"foster":        "<table>" + many("<b>x"),
		"one tag":       "<p " + many("a "),
		"one tag long":  "<p " + many("a ") + many("a "),
		"open quote":    `<p a="` + many("x"),
		"open comment":  "<!--" + many("x"),
		"open script":   "<script>" + many("x"),
		"plain text":    "<plaintext>" + many("<a href=x>"),
		"links":         many("<a href=x>"),
		"bases":         many("<base href=/x/>"),
		"entities":      many("&amp;&lt;"),
		"lists":         many("<li><ul>"),
		"ends":          many("</p>"),
		"less than":     many("<"),
		"nul":           many("\x00"),
		"frames":        "<frameset>" + many("<frameset>"),
		"template":      many("<template>"),
		"button in nob": many("<nobr><button>"),
		"marks":         "a" + many("\u0301\u0323"),
		"marks in tags": "a" + many("<b>\u0301"),
		"invisible":     many("\u200b\u200c\u200d"),
	} {
		p := read("<a href=first>x</a>" + html)
		if len(p.Links) == 0 || !strings.HasSuffix(p.Links[0], "/first") {
			t.Errorf("%s: the link before it is lost", name)
		}
		if p.Digests.Main.IsZero() {
			t.Errorf("%s: no digest", name)
		}
	}
}

func TestLimits(t *testing.T) {
	var b strings.Builder
	for i := range MaxLinks + 5 {
		fmt.Fprintf(&b, "<a href=%d>", i)
	}
	if p := read(b.String()); len(p.Links) != MaxLinks || !p.Cut {
		t.Errorf("%d links, cut %v", len(p.Links), p.Cut)
	}
	if p := read("<a href=" + strings.Repeat("x", MaxAddress) + ">"); len(p.Links) != 0 {
		t.Error("an address longer than the limit is kept")
	}
	if p := read("<p>" + strings.Repeat("x", maxToken+10) + "<a href=a>"); !p.Cut ||
		len(p.Links) != 0 {
		t.Errorf("cut %v, %d links after a token over the limit", p.Cut, len(p.Links))
	}
}
