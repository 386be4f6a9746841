package extract

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestHTMLRequisites(t *testing.T) {
	for page, want := range map[string]string{
		`<link rel="shortcut ICON" href=i.ico><link rel=stylesheet href=" s.css#x ">`:                   "i.ico s.css",
		`<link rel="alternate stylesheet" href=s.css><link rel=next href=n><link rel=canonical href=c>`: "",
		`<img src=a.png srcset="b.png 2x, c,d.png 3x,e.png">`:                                           "a.png b.png c,d.png e.png",
		`<picture><source srcset="a.avif 1x"><img src=a.jpg></picture>`:                                 "a.avif a.jpg",
		`<video src=v.webm poster=p.jpg><track src=t.vtt></video>`:                                      "v.webm p.jpg t.vtt",
		`<audio><source src=a.ogg></audio><embed src=e><object data=o>`:                                 "a.ogg e o",
		`<p style="background: url('x (1).png')">`:                                                      "x%20(1).png",
		`<style>@import url(i.css); b{background:url( "q.png" )}</style>`:                               "i.css q.png",
		`<script src=/a.js></script><script>var a = "<img src=no.png>"</script>`:                        "/a.js",
		`<svg><image xlink:href=i.svg /><use href="#here"/><use href="s.svg#x"/></svg>`:                 "i.svg s.svg",
		`<base href="/dir/"><img src=a.png><img src=data:image/png,x><img src=a.png>`:                   "/dir/a.png",
		`<img data-src=lazy.png src="data:image/gif;base64,xx">`:                                        "lazy.png",
		`<a href=page.html><img src=mailto:a@b><iframe src=frame.html>`:                                 "",
		`<img src="//cdn.example/x.png">`:                                                               "//cdn.example/x.png",
		`<!-- <img src=no.png> --><noscript><img src=n.png></noscript>`:                                 "",
		`<link rel=preload as=font href=f.woff2 imagesrcset="p.png 1x">`:                                "f.woff2 p.png",
		`<td background=b.png><input type=image src=i.png>`:                                             "b.png i.png",
	} {
		var got []string
		for _, url := range HTMLRequisites([]byte(page), "text/html", "http://h.example/d/page") {
			short := strings.TrimPrefix(url, "http://h.example/d/")
			if short == url {
				short = strings.TrimPrefix(strings.TrimPrefix(url, "http://h.example"), "http:")
			}
			got = append(got, short)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s\nshows %q, want %q", page, g, want)
		}
	}
}

// TestRequisitesOfPage checks that the requisites of a page are found if requested, and not if it
// says noarchive.
func TestRequisitesOfPage(t *testing.T) {
	page := []byte(`<img src=a.png>`)
	if p := HTML(page, "text/html", "http://h.example/", Options{}); p.Requisites != nil {
		t.Errorf("not wanted: %v", p.Requisites)
	}
	o := Options{Requisites: true}
	if p := HTML(page, "text/html", "http://h.example/", o); len(p.Requisites) != 1 {
		t.Errorf("wanted: %v", p.Requisites)
	}
	o.RobotsTags = []string{"noarchive"}
	if p := HTML(page, "text/html", "http://h.example/", o); p.Requisites != nil {
		t.Errorf("noarchive: %v", p.Requisites)
	}
}

// TestStyle has a case for each behaviour of browsers (CSS Syntax 3, 4.3; CSS Cascade 4, 2; CSS
// Images 4, 2.2).
func TestStyle(t *testing.T) {
	for style, want := range map[string]string{
		`@import "a.css"; @IMPORT url(b.css) screen; @import url("c.css") layer(x);`:      "a.css b.css c.css",
		`b{background:url(a.png),URL( 'b.png' )}`:                                         "a.png b.png",
		`b{background:url( sp ace.png )} i{background:url(ok.png)}`:                       "ok.png",
		`@font-face{src:url(a.woff2?#iefix) format("woff2"),local("x")}`:                  "a.woff2?#iefix",
		`b{background:image-set("a.png" 1x, url(b.png) 2x, "c.avif" type("image/avif"))}`: "a.png b.png c.avif",
		`b{content:"url(no.png)";background:url(yes.png)}`:                                "yes.png",
		`/* url(no.png) */ b{background:UrL(esc.png)}`:                                    "esc.png",
		`b{background:url(a\).png)} i{background:url("q\"\22 .png")}`:                     `a).png q"".png`,
		`@namespace svg url(http://www.w3.org/2000/svg); b{background:url(x.png)}`:        "x.png",
		`b{background:url(data:image/png;base64,xx)} i{fill:url(#gradient)}`:              "",
		`b{--x:url(var.png)}`:                         "var.png",
		`b{background:url(open.png`:                   "open.png",
		`@import "open.css`:                           "open.css",
		`<!-- @import "old.css"; -->`:                 "old.css",
		"b{background:url(a.png)}\x00i{x:url(z.png)}": "a.png z.png",
	} {
		var got []string
		out := Style([]byte(style), func(address string) string {
			got = append(got, address)
			return address
		})
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s\nhas %q, want %q", style, g, want)
		}
		if string(out) != style {
			t.Errorf("%s\nbecame %s", style, out)
		}
		n := 0
		led := Style([]byte(style), func(string) string { n++; return fmt.Sprintf(`/to "%d\`, n) })
		var again []string
		Style(led, func(address string) string { again = append(again, address); return address })
		for i, address := range again {
			if address != fmt.Sprintf(`/to "%d\`, i+1) {
				t.Errorf("%s\nled: %s\nhas %q", style, led, again)
			}
		}
		if len(again) != len(got) {
			t.Errorf("%s: %d addresses, %d after they were led", style, len(got), len(again))
		}
	}
}

// hostileStyles are style sheets of about size octets that try to exhaust their reader.
func hostileStyles(size int) map[string]string {
	many := func(s string) string { return strings.Repeat(s, size/len(s)) }
	styles := map[string]string{
		"one long name":     "a" + many("a"),
		"one long string":   `b{content:"` + many("x"),
		"one long address":  "b{background:url(" + many("x") + ")}",
		"an open comment":   "/*" + many("*"),
		"escapes":           many(`\`),
		"escaped digits":    many(`\000041`),
		"imports":           many(`@import "a.css";`),
		"imports of others": manyDifferent(size, `@import "%d.css";`),
		"addresses":         manyDifferent(size, `b{background:url(%d.png)}`),
		"open addresses":    many("url("),
		"open sets":         many("image-set("),
		"quotes":            many(`"`),
		"quotes of lines":   many("\"\n"),
		"an open url":       "url(" + many(`"`+"\n"),
		"zeros":             many("\x00"),
		"no text":           many("\xff\xfe"),
		"numbers":           many("1e"),
		"ranges":            many("u+0-"),
		"minus":             many("-"),
		"at":                many("@"),
		"hash":              many("#"),
		"marks":             many("<!--"),
		"ends of marks":     many("-->"),
		"custom properties": many("--a:{"),
		"functions":         many("a("),
		"urls with escapes": many(`u\72l(`),
		"white space":       "@import" + many(" ") + `"a.css"`,
		"long data":         many("url(data:image/png;base64,AAAAAAAA)"),
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		styles["nested "+pair] = many(pair[:1])
		styles["nested and closed "+pair] = strings.Repeat(pair[:1], size/2) +
			strings.Repeat(pair[1:], size/2)
		styles["closed "+pair] = many(pair[1:])
	}
	return styles
}

func manyDifferent(size int, format string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestHostileStyles reads hostile style sheets of 10 MB, alone, in a page and in an attribute. Each
// takes less than 10 s and 256 MB of allocations, and has few URLs.
func TestHostileStyles(t *testing.T) {
	const size = 10 << 20
	var before, after runtime.MemStats
	for name, style := range hostileStyles(size) {
		for where, read := range map[string]func(string) []string{
			"alone": func(s string) []string { return StyleRequisites([]byte(s), "http://h.example/s.css") },
			"in a page": func(s string) []string {
				page := "<style>" + s[:len(s)/5] + "</style><p style='" + s[:len(s)/20] + "'>"
				return HTMLRequisites([]byte(page), "text/html", "http://h.example/")
			},
		} {
			runtime.ReadMemStats(&before)
			began := time.Now()
			found := read(style)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; took > 10*time.Second ||
				used > 256<<20 || len(found) > MaxRequisites {
				t.Errorf("%s, %s: %v, %d MB, %d addresses", name, where, took, used>>20, len(found))
			}
		}
	}
}

// FuzzStyle checks that a text with unchanged URLs remains the same, that replaced URLs are found
// again and no others, and that every URL of a page can be requested.
func FuzzStyle(f *testing.F) {
	for _, style := range hostileStyles(300) {
		f.Add([]byte(style))
	}
	f.Add([]byte(`@import "a";b{x:image-set("b" 1x)} url(c) `))
	f.Fuzz(func(t *testing.T, style []byte) {
		if out := Style(style, func(a string) string { return a }); !bytes.Equal(out, style) {
			t.Errorf("%q became %q", style, out)
		}
		n := 0
		led := Style(style, func(string) string { n++; return "/led" })
		Style(led, func(a string) string {
			if a != "/led" {
				t.Errorf("%q led to %q, which has %q", style, led, a)
			}
			return a
		})
		for _, url := range HTMLRequisites(style, "text/html", "http://h.example/") {
			if !strings.HasPrefix(url, "http") || len(url) > MaxAddress {
				t.Errorf("%q shows %q", style, url)
			}
		}
		if list := StyleRequisites(style, "http://h.example/x/"); len(list) !=
			len(slices.Compact(slices.Sorted(slices.Values(list)))) {
			t.Errorf("twice the same: %q", list)
		}
	})
}
