package extract

import (
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ name, html, header, want string }{
		{"absolute", `<link rel=canonical href="http://h.example/a">`, "", "http://h.example/a"},
		{"relative", `<link rel="x Canonical" href="a?b#c">`, "", "http://h.example/dir/a?b"},
		{"to a base", `<link rel=canonical href=a><base href=/b/>`, "", "http://h.example/b/a"},
		{"first", `<link rel=canonical><link rel=canonical href=a><link rel=canonical href=b>`, "",
			"http://h.example/dir/a"},
		{"the page itself", `<link rel=canonical href="page.html#top">`, "", ""},
		{"the first, which is the page itself",
			`<link rel=canonical href=page.html><link rel=canonical href=b>`, "", ""},
		{"https of the same server", `<link rel=canonical href="https://h.example/a">`, "",
			"https://h.example/a"},
		{"another server", `<link rel=canonical href="http://g.example/a">`, "", ""},
		{"another port", `<link rel=canonical href="http://h.example:81/a">`, "", ""},
		{"no web page", `<link rel=canonical href="mailto:a@h.example">`, "", ""},
		{"no page", `<link rel=canonical href="a.pdf">`, "", ""},
		{"not in comments", `<!-- <link rel=canonical href=a> -->`, "", ""},
		{"of a page without links",
			`<meta name=robots content=nofollow><link rel=canonical href=a>`, "",
			"http://h.example/dir/a"},
		{"another relation", `<link rel=next href=a>`, "", ""},
		{"header", ``, `</a>; rel="canonical"`, "http://h.example/a"},
		{"header, not to the base", `<base href=/b/>`, `<a>; rel=canonical`,
			"http://h.example/dir/a"},
		{"header of several", ``,
			`<a>; rel=next; title="x, <b>; rel=canonical", <c>;title=y;REL="up canonical"`,
			"http://h.example/dir/c"},
		{"element before header", `<link rel=canonical href=a>`, `<b>; rel=canonical`,
			"http://h.example/dir/a"},
		{"header without relation", ``, `<a>`, ""},
		{"header cut", ``, `<a`, ""},
	} {
		p := HTML([]byte(c.html), "text/html", self, Options{LinkLines: []string{"", c.header}})
		if p.Canonical != c.want {
			t.Errorf("%s: %q, want %q", c.name, p.Canonical, c.want)
		}
	}
}

// FuzzLinkTargets checks that targets are parts of the line between their marks, and not too many.
func FuzzLinkTargets(f *testing.F) {
	f.Add(`<a>; rel=next; title="x, <b>; rel=canonical", <c>; rel="up canonical"`)
	f.Add(`<https://hub.example/>; rel="canonical", <b>; rel=canonical, <c>; rel=canonical`)
	f.Fuzz(func(t *testing.T, line string) {
		targets := LinkTargets([]string{line, line}, "canonical", 2)
		for _, target := range targets {
			if strings.ContainsAny(target, ">") || !strings.Contains(line, target) {
				t.Errorf("%q names %q", line, target)
			}
		}
		if len(targets) > 2 {
			t.Errorf("%q names %d", line, len(targets))
		}
	})
}
