package extract

import (
	"strings"
	"testing"
)

// TestWatched checks that each rule gets the text that it selects, in order, bounded and in valid
// UTF-8.
func TestWatched(t *testing.T) {
	rule := func(spec RuleSpec) *Rule {
		r, err := NewRule(spec)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	body := "<title>T\nx</title><nav>menu</nav><main><p>One <b>two</b></p><p id=p>three " +
		"\xff</p></main><footer>end</footer>"
	watched := []*Rule{rule(RuleSpec{Part: "main"}), rule(RuleSpec{}),
		rule(RuleSpec{Watch: []string{"#p"}}), rule(RuleSpec{Watch: []string{"#none"}})}
	p := HTML([]byte(body), "text/html; charset=utf-8", "http://a.example/",
		Options{Watched: watched})
	if p.Watched.Title != "T x" {
		t.Errorf("title %q", p.Watched.Title)
	}
	for i, want := range []string{"One two three", "T x menu One two three end", "three", ""} {
		if got := strings.Join(strings.Fields(p.Watched.Texts[i]), " "); got != want {
			t.Errorf("rule %d: %q, want %q", i, got, want)
		}
	}
	if o := p.Watched.Observed(); o.Title != p.Watched.Title || len(o.Texts) != len(watched) {
		t.Errorf("observed %+v", o)
	}
	if p := HTML([]byte(body), "text/html", "http://a.example/", Options{}); p.Watched != nil ||
		p.Watched.Observed() != nil {
		t.Error("a page is watched that nobody asked for")
	}
	long := HTML([]byte("<p>"+strings.Repeat("é", MostWatched)), "text/html; charset=utf-8",
		"http://a.example/", Options{Watched: watched[1:2]})
	if n := len(long.Watched.Texts[0]); n > MostWatched || n < MostWatched-4 {
		t.Errorf("%d octets", n)
	}
}
