package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

func ruleOf(t testing.TB, text string) *Rule {
	t.Helper()
	set, err := ParseRules("rules.yaml", []byte("rules:\n- prefix: \"*\"\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return set.For(self)
}

// noisy returns a page with parts that change at each visit: an advertisement, a date, a counter
// and a session token. Only headline and price are content.
func noisy(visit int, headline, price string) []byte {
	return fmt.Appendf(nil, `<!DOCTYPE html><html lang=en><head><title>Shop</title><meta name=csrf content="t%[1]d"></head>
<body><nav><a href="/?sid=%[1]d">Home</a></nav>
<div class="ad banner-%[1]d"><p>Buy number %[1]d now</p></div>
<main><h1>%[2]s</h1><p class=meta>Updated: 2026-01-%02[1]d 10:%02[1]d <span>by staff</span></p>
<p>The price is <b data-price="%[3]s">%[3]s</b> euros.</p>
<form><input type=hidden name=token value="x%[1]d"><p>%[1]d people look at this, 5 in stock</p></form></main>
<footer>Rendered in 0.%[1]d s</footer></body></html>`, visit, headline, price)
}

// TestRulesOnNoise checks that rules remove false changes and keep true ones.
func TestRulesOnNoise(t *testing.T) {
	for _, c := range []struct{ name, rule string }{
		{"ignored", "  ignore: [.ad, p.meta, footer, form]\n"},
		{"ignored, with expressions", "  ignore: [.ad, footer]\n  ignore-text: ['^Updated: " +
			"\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d', '^\\d+ people']\n"},
		{"watched", "  watch: [h1, '[data-price]']\n"},
		{"expressions watched", "  watch: main\n  watch-text: ['^The price', '^(Old|New) news']\n"},
		{"main", "  change: main\n  ignore: ['main > .meta', 'form p']\n"},
		{"bytes", "  change: bytes\n  watch: [h1, 'b[data-price]']\n"},
		{"bytes of lines", "  change: bytes\n  watch-text: ['<h1>.*?</h1>', 'data-price']\n  " +
			"ignore-text: ['<p class=meta>.*']\n"},
	} {
		o := Options{Rule: ruleOf(t, c.rule)}
		before := HTML(noisy(1, "Old news", "12"), "text/html", self, o).Digests
		if got := before.Compare(HTML(noisy(2, "Old news", "12"), "text/html", self, o).Digests,
			sitegraph.ChangeByBytes); got != sitegraph.Same {
			t.Errorf("%s: noise is a change", c.name)
		}
		for _, other := range [][]byte{noisy(1, "New news", "12"), noisy(2, "Old news", "13")} {
			if got := before.Compare(HTML(other, "text/html", self, o).Digests,
				sitegraph.ChangeByBytes); got != sitegraph.Different {
				t.Errorf("%s: a true change is none", c.name)
			}
		}
	}
	plain := HTML(noisy(1, "Old news", "12"), "text/html", self, Options{Main: true}).Digests
	if again := HTML(noisy(2, "Old news", "12"), "text/html", self,
		Options{Main: true}).Digests; again == plain ||
		again.Text == plain.Text || again.Main == plain.Main {
		t.Error("the fixture has no noise")
	}
}

// TestCounted checks the lines that a rule selects.
func TestCounted(t *testing.T) {
	page := `<html lang="de"><head><title>T &amp; t</title><script>s()</script></head><body class="home">
<nav>menu</nav><header>head</header><main><p>One <i>two</i>
three</p><ul><li>a<li>b <span class=ad>buy</span>c</ul><div><div class=x><p>in x</p><div class=x>deeper</div></div></div></main></body></html>`
	for _, c := range []struct{ rule, want string }{
		{"", "T & t|menu|head|One two three|a|b buyc|in x|deeper"},
		{"  change: main\n", "One two three|a|b buyc|in x|deeper"},
		{"  ignore: [.ad, nav, body.home header]\n", "T & t|One two three|a|b c|in x|deeper"},
		{"  watch: .x\n", "in x|deeper"},
		{"  watch: .x\n  ignore: .x .x\n", "in x"},
		{"  watch: .x .x\n  ignore: .x\n", ""},
		{"  watch: nav\n  change: main\n", "menu"},
		{"  watch: script\n", "s()"},
		{"  watch: ['html[lang=de] > body li:first-child']\n", "a"},
		{"  watch: .none\n", ""},
		{"  change: bytes\n  watch: ul\n",
			`<ul>|<li>a</li>|<li>b <span class="ad">buy</span>c</li>|</ul>`},
	} {
		p, look := LookAt([]byte(page), "text/html; charset=utf-8", self,
			Options{Rule: ruleOf(t, c.rule)})
		if got := strings.ReplaceAll(look.Counted, "\n", "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.rule, got, c.want)
		}
		if !ruleOf(t, c.rule).Made(p.Digests.Main) || look.Title != "T & t" ||
			look.Language != "de" {
			t.Errorf("%q: %+v", c.rule, look)
		}
	}
	// Another block around a text does not change it.
	o := Options{Rule: ruleOf(t, "")}
	if HTML([]byte("<p>a</p><p>b"), "", self,
		o).Digests.Main != HTML([]byte("<div><p>a</p>b</div>"), "", self, o).Digests.Main {
		t.Error("lines count")
	}
	// A page without a tree counts as one line.
	var trace RuleTrace
	if _, look := LookAt([]byte("<p>1<p class=ad>2"+strings.Repeat("<b>", maxNodes+1)), "", self,
		Options{Rule: ruleOf(t, "  ignore: .ad\n")}); look.Counted != "1 2" ||
		len(look.Trace.Notes) != 1 {
		t.Errorf("a page without a tree: %q %q", look.Counted, trace.Notes)
	}
}

func TestJSONPage(t *testing.T) {
	o := Options{Rule: ruleOf(t, "  json: {ignore: $.time}\n")}
	before := JSON([]byte(`{"a": 1, "time": 5}`), o)
	for body, want := range map[string]sitegraph.Comparison{
		`{"time": 6, "a":1}`:  sitegraph.Same,
		`{"a": 2, "time": 5}`: sitegraph.Different,
		`{"a": 1, "time": 5`:  sitegraph.Different,
	} {
		if got := before.Digests.Compare(JSON([]byte(body), o).Digests,
			sitegraph.ChangeByBytes); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
	o.RobotsTags = []string{"noindex"}
	if !JSON([]byte("{}"), o).NoIndex {
		t.Error("X-Robots-Tag of JSON is not read")
	}
	for kind, want := range map[string]bool{"application/json; charset=utf-8": true,
		"application/ld+JSON": true, "text/html": false, "": false, "application/jsonx": false} {
		if IsJSON(kind) != want {
			t.Errorf("%q: %v", kind, !want)
		}
	}
}

// FuzzCounted checks that a rule selects the same lines each time, that ignoring everything leaves
// nothing, and that only the digest Main depends on the rule.
func FuzzCounted(f *testing.F) {
	f.Add([]byte("<main><p class=a>x<nav>y</main><table><a>z"), "p, .a > b, table a", "y+")
	f.Fuzz(func(t *testing.T, body []byte, selector, expression string) {
		if len(body) > 1<<13 || len(selector) > 100 || len(expression) > 100 {
			return
		}
		for _, part := range []string{"text", "main", "bytes"} {
			set, err := ParseRules("f", fmt.Appendf(nil, "rules: [{prefix: '*', change: %s, "+
				"ignore: %q, ignore-text: %q}]", part, selector, expression))
			if err != nil {
				return
			}
			o := Options{Rule: set.For(self)}
			p, plain := HTML(body, "", self, o), HTML(body, "", self, Options{})
			if again := HTML(body, "", self, o); again.Digests != p.Digests {
				t.Error("the same page twice differs")
			}
			p.Digests.Main = plain.Digests.Main
			if p.Digests != plain.Digests || len(p.Links) != len(plain.Links) {
				t.Error("the rule changes more than what counts")
			}
			nothing := ruleOf(t, "  ignore: '*'\n  change: "+part+"\n")
			if _, look := LookAt(body, "", self,
				Options{Rule: nothing}); len(look.Trace.Notes) == 0 &&
				strings.TrimSpace(look.Counted) != "" {
				t.Errorf("ignoring all leaves %q", look.Counted)
			}
		}
	})
}

// BenchmarkRules measures the cost of a rule, to compare with BenchmarkLinks and BenchmarkHTML.
func BenchmarkRules(b *testing.B) {
	for _, c := range []struct{ name, rule string }{
		{"text", ""},
		{"ignore=4", "  ignore: [nav, .ad, 'main > p.meta', '[data-token]']\n"},
		{"ignore=4,expressions=2", "  ignore: [nav, .ad, 'main > p.meta', '[data-token]']\n  " +
			"ignore-text: ['\\d{4}-\\d\\d-\\d\\d', '\\d+ views']\n"},
		{"main,simhash", "  change: main\n  simhash: 4\n"},
	} {
		rule := ruleOf(b, c.rule)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(benchPage)))
			b.ReportAllocs()
			for b.Loop() {
				HTML(benchPage, "text/html", self, Options{Rule: rule})
			}
		})
	}
}
