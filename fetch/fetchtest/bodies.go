package fetchtest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Sizes up to which fetch reads bodies by default.
const (
	Largest       = 2_000_000  // octets of a page
	LargestSource = 16_000_000 // octets of a feed or sitemap
)

// Bodies are hostile bodies for each parser: H for pages, X for feeds and sitemaps, P for
// robots.txt.
var Bodies = slices.Concat(deepAttacks, mixedAttacks(), linkAttacks, textAttacks, xmlAttacks,
	robotsAttacks)

var deepAttacks = []HostileBody{
	page("H01 deep", "<a href=x>x</a>", fill(Largest, "<div>")),
	page("H01 deep and back", many(180_000, "<div>"), many(180_000, "</div>")),
	page("H02 roots", each(12_000, "<html a%d>")),
	page("H02 bodies", each(100_000, "<body a%d>")),
	page("H02 bodies with attributes", func(b *bytes.Buffer) {
		for i := range 15 {
			b.WriteString("<body ")
			for j := range 7_500 {
				fmt.Fprintf(b, "a%d-%d ", i, j)
			}
			b.WriteString(">")
		}
	}),
	page("H11 284 KB", "<p>", each(480, "<b x=%d>"), fill(284_000, "<p>x")),
	page("H11 Largest", "<p>", each(480, "<b x=%d>"), fill(Largest-10_000, "<p>x")),
	page("H11 with attributes", "<p>", func(b *bytes.Buffer) {
		for i := range 480 {
			fmt.Fprintf(b, "<b x=%d", i)
			for j := range 100 {
				fmt.Fprintf(b, " a%d", j)
			}
			b.WriteString(">")
		}
	}, many(250_000, "<p>x")),
	page("H04 tag of 0.9 MB", "<p ", fill(900_000, "a "), ">x"),
	page("H04 tag of 1.8 MB", "<p ", fill(1_800_000, "a "), ">x"),
	page("H04 attributes", "<p", each(200_000, " a%d=b"), ">x"),
	page("H04 class of 1 MB", `<p class="`, fill(1<<20-100, "nav1 "), `">x`),
	page("H04 classes", fill(Largest, "<p class='a b c d' id=e role=f>")),
	page("H04 open quote", `<a href="`, fill(Largest, "x")),
	page("H04 open comment", "<!--", fill(Largest, "-x")),
	page("H04 open script", "<script>", fill(Largest, "<!--<script>")),
	page("H04 open textarea", "<textarea>", fill(Largest, "</textare ")),
	page("H04 plain text", "<plaintext>", fill(Largest, "<a href=x>")),
	page("H04 tags that never end", many(450_000, "<a ")),
	page("H04 less than", fill(Largest, "<")),
	page("H04 names", each(150_000, "<x%d>")),
	page("H04 mains", many(500, "<div>"), fill(600_000, "<main>x</main>")),
}

// mixedAttacks returns pairs and triples of tags that trees of the standard handle specially:
// reopened formatting, misplaced content of tables, foreign elements, lists.
func mixedAttacks() (mixed []HostileBody) {
	for _, tags := range []string{
		"<a><p>", "<b><i><p>", "<b></p>", "<p></b>", "<nobr><button>", "<table><td>",
		"<table><tr><a>", "<table><select>", "<table><b>x",
		"<svg><math>", "<svg><foreignObject><p>", "<math><mi><svg>", "<select><option>",
		"<optgroup><option>", "<template>",
		"<template><table>", "<frameset>", "<form><form>", "<li><ul>", "<dd><dt>", "<h1><h2>",
		"<ruby><rt><rp>", "<p><table><p>",
		"<object><marquee><applet>", "<b><div></b><i></div></i>", "<a><table><a></table>",
		"<tr><td><caption>", "</p>", "</br>", "</b></i></div>",
		"<b x=1><b x=2><b x=3><p>x",
	} {
		mixed = append(
			mixed,
			page("H03 "+strings.NewReplacer("<", "", ">", " ", "/", "-").Replace(tags),
				fill(Largest, tags)),
		)
	}
	return append(
		mixed,
		page("H03 foster parents", "<table>", fill(Largest, "<b>x")),
		page(
			"H03 foster parents of formatting",
			"<table>",
			each(480, "<b x=%d>"),
			fill(Largest-10_000, "<p>x<tr>"),
		),
		page("H03 a thousand tables", many(1000, "<table><tr><td><b>"), fill(Largest/2, "<p>x")),
	)
}

var linkAttacks = []HostileBody{
	page("H05 links", each(110_000, "<a href=/%d>x</a>")),
	page("H05 links that are slow", each(60_000, "<a href='%%41/../ü|%d?é'>x</a>")),
	page("H05 link of 1 MB", "<a href=", fill(1<<20-100, "x"), "><a href=y>"),
	page("H05 long links", each(900, "<a href='"+strings.Repeat("ü/../", 330)+"%d'>")),
	page("H05 hosts", each(60_000, "<a href=//%d.b.example/>")),
	page("H05 slow hosts", each(40_000, "<a href=//%d.bücher.example/>")),
	page("H05 frames", each(90_000, "<frame src=/%d>")),
	page("H05 feeds", each(30_000, "<link rel=alternate type=application/rss+xml href=/%d>")),
	page("H05 paths that go up", each(900, "<a href='"+strings.Repeat("../", 660)+"%d'>")),
	page("H06 bases", fill(Largest, "<base href=/x/>")),
	page("H06 bases of other kinds", each(50_000, "<base href='javascript:%d'>"), "<a href=x>"),
	page(
		"H06 long base",
		"<base href='http://a.example/"+strings.Repeat("a/", 990)+"'>",
		each(50_000, "<a href='ü%d'>x</a>"),
	),
	page(
		"H06 long base with a query",
		"<base href='http://a.example/"+strings.Repeat("a/", 400)+"?"+strings.Repeat("&a=b", 280)+
			"'>",
		each(50_000, "<a href='../ü%d'>x</a>"),
	),
	page("H07 robots", fill(Largest, "<meta name=robots content='index, follow'>")),
	page("H07 words", "<meta name=robots content='", fill(1<<20-100, "noindex, "), "'>"),
	page("H07 refreshes", each(60_000, "<meta http-equiv=refresh content='%d;url=x'>")),
	page("H07 rel", "<a href=x rel='", fill(1<<20-100, "x "), "'>x</a>"),
}

var textAttacks = []HostileBody{
	made("H08 UTF-7", "text/html; charset=utf-7", fill(Largest, "+ADw-a href=x+AD4-")),
	made("H08 ISO-2022-KR", "text/html; charset=iso-2022-kr",
		fill(Largest, "\x1b$)C\x0e!!\x0f<a>")),
	made("H08 ISO-2022-JP", "text/html; charset=iso-2022-jp", fill(Largest, "\x1b$B<a\x1b(B<b>")),
	made("H08 UTF-16 claimed", "text/html; charset=utf-16", fill(Largest, "<a href=x>")),
	made("H08 UTF-16", "text/html", "\xff\xfe", fill(Largest, "<\x00a\x00>\x00\x00\xd8")),
	made("H08 EBCDIC", "text/html; charset=ibm037", fill(Largest, "\x4c\x81\x6e")),
	made("H08 GB18030", "text/html; charset=gb18030", fill(Largest, "\x81\x30\x81\x30\xff")),
	made("H08 unknown", "text/html; charset="+strings.Repeat("x", 10_000),
		fill(Largest, "<p>\xe4")),
	made("H08 no type", "", fill(Largest, "<p>\xe4")),
	page(
		"H08 queries of another encoding",
		"<meta charset=shift_jis>",
		each(60_000, "<a href='?%d=\x93\xfa\x96\x7b'>"),
	),
	page(
		"H08 queries that the encoding lacks",
		"<meta charset=windows-1252>",
		each(900, "<a href='?%d="+strings.Repeat("&#26085;", 240)+"'>"),
	),
	page("H09 NUL", fill(Largest, "\x00")),
	page("H09 controls", fill(Largest, "<a href='\x1b\x07\u202e\x9b'>\x1b\u202e")),
	page("H09 bad octets", fill(Largest, "\xff\xfe\xc2")),
	page("H09 white space", fill(Largest, "\u00a0\u3000 \t")),
	page("entities", fill(Largest, "&amp;&lt;")),
	page("entities that are long", fill(Largest, "&CounterClockwiseContourIntegral;")),
	page("entities that are none", fill(Largest, "&CounterClockwiseContourIntegra")),
	page("entities by number", fill(Largest, "&#x1F600;&#128;&#99999999999;")),
	page("entities in addresses", fill(Largest, "<a href='&amp;&#x1F600;'>")),
	page("ampersands", fill(Largest, "&")),
}

var xmlAttacks = []HostileBody{
	made(
		"X01 entities",
		"text/xml",
		`<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a0 "x">`,
		each(40, "<!ENTITY b%[1]d '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>"),
		"]><rss><channel><item><link>&b39;</link></item></channel></rss>",
	),
	made(
		"X01 external entity",
		"text/xml",
		`<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1/x"><!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e;</loc></url>`,
		fill(Largest, "<xi:include href='file:///etc/passwd'/>"),
	),
	made("X02 deep", "text/xml", "<rss><channel>", many(1_000_000, "<item>")),
	made(
		"X02 attributes",
		"text/xml",
		"<urlset><url ",
		each(500_000, "a%d='b' "),
		"><loc>http://a.example/</loc></url></urlset>",
	),
	made("X02 elements", "text/xml", "<rss><channel>", fill(LargestSource, "<a/>")),
	made(
		"X03 endless feed",
		"text/xml",
		"<rss><channel>",
		each(
			150_000,
			"<item><link>http://a.example/%d</link><pubDate>Mon, 02 Jan 2006 15:04:05 "+
				"GMT</pubDate></item>",
		),
	),
	made(
		"X03 sitemap",
		"text/xml",
		"<urlset>",
		each(200_000, "<url><loc>http://a.example/%d</loc><lastmod>2024-01-01</lastmod></url>"),
	),
	made(
		"X03 index",
		"text/xml",
		"<sitemapindex>",
		each(200_000, "<sitemap><loc>http://a.example/%d.xml</loc></sitemap>"),
	),
	made("X03 text", "text/plain", each(400_000, "http://a.example/%d\n")),
	made("X03 one text", "text/xml", "<rss><channel><item><link>", fill(LargestSource, "x")),
	made(
		"X03 slow addresses",
		"text/xml",
		"<rss><channel>",
		each(50_000, "<item><link>http://a.example/ü|%d/../%%41</link></item>"),
	),
	made("X03 entities", "text/xml", "<rss><channel><item><title>",
		fill(LargestSource, "&lt;&amp;")),
	made(
		"X03 long base, addresses with a scheme inside",
		"text/xml",
		"<rss xml:base='http://a.example/"+strings.Repeat("a/", 990)+"'><channel>",
		many(20_000, "<item><link>ü?://</link></item>"),
	),
	made(
		"X03 one address again and again",
		"text/xml",
		"<rss xml:base='http://a.example/"+strings.Repeat("a/", 110)+"'><channel>",
		fill(LargestSource, "<item><link>ü?</link>"),
	),
	{Name: "X03 bases", Kind: "application/atom+xml",
		Make: made("", "", "<feed xml:base='http://a.example/"+strings.Repeat("a/", 990)+"'>",
			each(3_300, "<entry xml:base='ü%d'><link href='ü'/></entry>")).Make},
}

var robotsAttacks = []HostileBody{
	made("P01 5 MB", "text/plain", "User-agent: *\n", each(300_000, "Disallow: /%d\n")),
	made(
		"P01 agents and rules",
		"text/plain",
		each(10_000, "User-agent: a%d\n"),
		"User-agent: *\n",
		each(10_000, "Disallow: /%d\n"),
	),
	made("P01 groups", "text/plain", each(10_000, "User-agent: recrawl\nDisallow: /%d\n")),
	made("P01 wildcards", "text/plain", "User-agent: *\n", each(19_000, "Disallow: /*a%d*b$\n")),
	made(
		"P01 stars",
		"text/plain",
		"User-agent: *\nDisallow: /",
		many(2_000, "*a"),
		"\nDisallow: ",
		many(200_000, "*"),
		"\n",
	),
	made(
		"P01 stars in each",
		"text/plain",
		"User-agent: *\n",
		many(1_000, "Disallow: /"+strings.Repeat("*a", 200)+"$\n"),
	),
	made("P01 long line", "text/plain", "User-agent: *\nDisallow: /", fill(1<<20, "x"),
		"\nDisallow: /y\n"),
	made(
		"P01 delays",
		"text/plain",
		"User-agent: *\n",
		many(100_000, "Crawl-delay: 1e300\nCrawl-delay: NaN\n"),
	),
	made("P01 sitemaps", "text/plain", each(100_000, "Sitemap: http://a.example/%d\n")),
	made("P04 HTML", "text/plain", fill(Largest, "<p>User-agent: *<br>Disallow: /\n")),
	made("P04 NUL", "text/plain", fill(Largest, "User-agent\x00: *\r\x00Disallow: /\n")),
	made("P04 UTF-16", "text/plain", "\xff\xfe", fill(Largest, "D\x00:\x00/\x00\n\x00")),
}

// HostileBody is a hostile body, named after its case in published crawlers' faults.
type HostileBody struct {
	Name string
	Kind string // Content-Type
	Make func() []byte
}

func page(name string, parts ...any) HostileBody { return made(name, "text/html", parts...) }

func made(name, kind string, parts ...any) HostileBody {
	return HostileBody{Name: name, Kind: kind, Make: func() []byte {
		var b bytes.Buffer
		for _, part := range parts {
			switch part := part.(type) {
			case string:
				b.WriteString(part)
			case func(*bytes.Buffer):
				part(&b)
			default:
				panic(fmt.Sprintf("part %T", part))
			}
		}
		return b.Bytes()
	}}
}

// many writes a text n times.
func many(n int, text string) func(*bytes.Buffer) {
	return func(b *bytes.Buffer) {
		for range n {
			b.WriteString(text)
		}
	}
}

// each writes a format with the numbers below n.
func each(n int, format string) func(*bytes.Buffer) {
	return func(b *bytes.Buffer) {
		for i := range n {
			fmt.Fprintf(b, format, i)
		}
	}
}

// fill writes a text as often as it fits into a number of octets.
func fill(octets int, text string) func(*bytes.Buffer) { return many(octets/len(text), text) }
