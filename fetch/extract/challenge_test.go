package extract

import (
	"strings"
	"testing"
)

func rule(t *testing.T, spec RuleSpec) *Rule {
	t.Helper()
	r, err := NewRule(spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestChallenge(t *testing.T) {
	whole := []*Rule{rule(t, RuleSpec{})}
	for body, want := range map[string]bool{
		"<title>Just a moment...</title><p>h.example needs to review your connection":       true,
		"<title>Robot check</title><p>Please solve the captcha below to continue.":          true,
		"<title>x</title><p>Checking your browser before you go on":                         true,
		"<script src=//geo.captcha-delivery.com/x></script>":                                true,
		"<title>News</title><p>They will solve the captcha." + strings.Repeat(" word", 400): false,
		"<title>Shop</title><p>10 euros<script src=/cdn-cgi/challenge-platform/h/a></script>" +
			strings.Repeat("<p>some text of the page", 10): false,
		"<title>Captcha libraries</title><p>A list of captcha libraries": false,
		"": false,
	} {
		p := HTML([]byte(body), "text/html; charset=utf-8", "http://a.example/",
			Options{Watched: whole})
		if p.Watched.Challenge != want {
			t.Errorf("%.60q: %v, want %v", body, p.Watched.Challenge, want)
		}
	}
}

// TestWatchedKinds checks that text is watched line by line and JSON value by value, and that a
// selector finds nothing in other kinds of documents.
func TestWatchedKinds(t *testing.T) {
	watched := []*Rule{
		rule(t, RuleSpec{Part: "main", IgnoreText: []string{"at [0-9]+"}}),
		rule(t, RuleSpec{Watch: []string{".price"}}),
		rule(t, RuleSpec{JSON: &JSONRuleSpec{Watch: []string{"$.a[*].price"}}}),
		rule(t, RuleSpec{JSON: &JSONRuleSpec{Ignore: []string{"$.a", "$.t"}}}),
	}
	o := Options{Watched: watched}
	for _, c := range []struct {
		name string
		page Page
		want []string
	}{
		{"text", Plain([]byte("one at 12\r\n\r\n  two \xa0\xe4\xad\n"),
			"text/plain; charset=iso-8859-1", o),
			[]string{"one\ntwo ä", "", "", "one at 12\ntwo ä"}},
		{"JSON", JSON([]byte(`{"t": 7, "b": [true], "a": [{"price": 1.50, "x": "y"}]}`), o),
			[]string{"{\n\"a\": [\n{\n\"price\": 1.50\n\"x\": \"y\"\n}\n]\n" +
				"\"b\": [\ntrue\n]\n\"t\": 7\n}",
				"", "{\n\"a\": [\n{\n\"price\": 1.50\n}\n]\n}", "{\n\"b\": [\ntrue\n]\n}"}},
		{"HTML", HTML([]byte("<p class=price>5</p><p>x"), "text/html", "http://a.example/", o),
			[]string{"5\nx", "5", "", "5\nx"}},
		{"JSON as text", Plain([]byte("\ufeff"+`{"a": [{"price": 2}]}`), "text/plain", o),
			[]string{`{"a": [{"price": 2}]}`, "", "{\n\"a\": [\n{\n\"price\": 2\n}\n]\n}",
				`{"a": [{"price": 2}]}`}},
		{"XML", XML([]byte(`<?xml version="1.0"?><!DOCTYPE x><rates xmlns="a" xmlns:b="c">`+
			`<rate currency="USD" a="">1.08</rate><rate b:x='1 &amp;  2'/> at 12 <e/></rates>`),
			"text/xml", o),
			[]string{"rate currency=USD: 1.08\nrate b:x=1 & 2:\n:", "", "",
				"rate currency=USD: 1.08\nrate b:x=1 & 2:\n: at 12"}},
		{"feed", XML([]byte("<rss version=2><channel><title>News</title><pubDate>Mon</pubDate>"+
			"<lastBuildDate>x</lastBuildDate><item><title>A &lt; B</title><pubDate>Tue</pubDate>"+
			"<link>http://a.example/</link><description><![CDATA[<b>one</b> <style>x</style>"+
			"two]]></description></item><pubDate>x</pubDate>"), "application/rss+xml", o),
			[]string{"rss version=2:\ntitle: News\ntitle: A < B\npubdate: Tue\nlink: " +
				"http://a.example/\ndescription: one two", "", "",
				"rss version=2:\ntitle: News\ntitle: A < B\npubdate: Tue\nlink: " +
					"http://a.example/\ndescription: one two"}},
	} {
		if got := c.page.Watched.Texts; strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.page.Digests.Main.IsZero() && c.name != "HTML" || c.page.Digests.Text.IsZero() {
			t.Errorf("%s: no digest", c.name)
		}
	}
}
