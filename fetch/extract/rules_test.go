package extract

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func parsed(t testing.TB, file string) *Rules {
	t.Helper()
	s, err := ParseRules("rules.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFor(t *testing.T) {
	s := parsed(t, `rules:
- {prefix: "*", simhash: 1}
- {prefix: "https://a.example", simhash: 2}
- {prefix: "https://A.example:443/news/", simhash: 3}
- {prefix: "https://a.example/news/today$", simhash: 4}
- {prefix: "https://a.example/*/comments", simhash: 5}
- {prefix: "https://*.b.example/", simhash: 6}
- {prefix: "https://a.example/*/print$", simhash: 7}
`)
	for url, want := range map[string]int{
		"http://other.example/":                 1,
		"https://a.example/":                    2,
		"https://a.example/new":                 2,
		"https://a.example/news/":               3,
		"https://a.example/news/today":          4,
		"https://a.example/news/today2":         3,
		"https://a.example/blog/comments?p=2":   5,
		"https://a.example/news/comments":       5,
		"https://a.example/blog/x/comments":     2,
		"https://www.b.example/x":               6,
		"https://b.example/x":                   1,
		"https://a.example/blog/print":          7,
		"https://a.example/blog/printed":        2,
		"https://a.example.attacker.example/x/": 1,
	} {
		if got := s.For(url).Spec().SimHash; got != want {
			t.Errorf("%s: rule %d, want %d", url, got, want)
		}
	}
	if (*Rules)(nil).For("http://a.example/") != nil ||
		parsed(t, `rules: [{prefix: "http://a.example/"}]`).For("http://b.example/") != nil {
		t.Error("a rule where there is none")
	}
}

// TestParseRefuses checks that all mistakes of a file are reported together, with their places.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "rules.yaml is empty: "},
		{"# none\n", "rules.yaml is empty: "},
		{"rules: [", "rules.yaml: it is not YAML: line 1: "},
		{"a", "rules.yaml:1:1: want a map with the key rules"},
		{"rules:", "rules.yaml:1:7: rules: want a list"},
		{"rule: []", `rules.yaml:1:1: unknown key "rule": the keys are rules`},
		{"rules:\n- prefix: x\n  watsh: a",
			`rules.yaml:3:3: unknown key "watsh": the keys are change, ignore, ignore-text, json, prefix, simhash, watch, watch-text`},
		{"rules:\n- watch: a", "rules.yaml:2:3: the rule has no prefix"},
		{"rules:\n- prefix: news",
			`rules.yaml:2:11: prefix: "news" is not the beginning of a URL`},
		{"rules:\n- prefix: '*'\n- prefix: '*'",
			`rules.yaml:3:11: prefix: there is another rule for "*"`},
		{"rules:\n- prefix: '*'\n  ignore:\n  - p\n  - div >",
			`rules.yaml:5:5: ignore: "div >": no CSS selector`},
		{"rules:\n- prefix: '*'\n  ignore: 'a[x'", `rules.yaml:3:11: ignore: "a[x": ] is missing`},
		{"rules:\n- prefix: '*'\n  ignore: 'p:hover'", `the pseudo-class :hover is not known`},
		{"rules:\n- prefix: '*'\n  ignore: 'p:has(q:has(r))'",
			`there is a pseudo-class in the brackets of another`},
		{"rules:\n- prefix: '*'\n  ignore: 'p:not(.a .b)'", `there is a combinator in brackets`},
		{"rules:\n- prefix: '*'\n  ignore-text: ['a', 'b(']",
			"rules.yaml:3:22: ignore-text: \"b(\": not a regular expression of RE2: "},
		{"rules:\n- prefix: '*'\n  ignore-text: '(a|b){500}([cd]e){500}'",
			"it is too large when its repetitions are written out"},
		{"rules:\n- prefix: '*'\n  json: {watch: ['$.a', '.b']}",
			`rules.yaml:3:25: json.watch: ".b": not a JSONPath of RFC 9535: `},
		{"rules:\n- prefix: '*'\n  json: {watch: '$..a..b'}", `it has more than one ".."`},
		{"rules:\n- prefix: '*'\n  json: {watch: '$[*,*][*,*][*,*][*,*][*,*]'}",
			`more than 16 alternatives`},
		{"rules:\n- prefix: '*'\n  change: title",
			`rules.yaml:3:11: change: "title" is not a part of a page: want text, main or bytes`},
		{"rules:\n- prefix: '*'\n  simhash: 33",
			"rules.yaml:3:12: simhash: 33 is not a number of differing bits"},
		{"rules:\n- prefix: '*'\n  simhash: few", "rules.yaml:3:12: simhash: want a whole number"},
		{"rules:\n- &a {prefix: '*'}\n- *a", "rules.yaml:3:3: want a rule"},
		{"rules:\n- prefix: '*'\n  watch: [" + strings.Repeat("a,", 65) + "]", "65 are too many"},
		{"rules:\n- prefix: '*'\n  watch: " + strings.Repeat("a", 1001), "has 1001 octets"},
		{"rules:\n" + strings.Repeat("- x\n", 1001), "there are 1001 rules"},
		{strings.Repeat("#", 1<<20+1), "has 1048577 octets"},
	} {
		_, err := ParseRules("rules.yaml", []byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %s", c.file, err, c.want)
		}
	}
	_, err := ParseRules("f", []byte("rules:\n- prefix: x\n- prefix: '*'\n  change: y\n  simhash: -1\n"))
	if got := strings.Count(err.Error(), "\n") + 1; got != 3 {
		t.Errorf("%d problems are told, want 3:\n%v", got, err)
	}
}

// TestSelectorsAgree compares selectors with cascadia, on pages where cascadia is fast enough.
func TestSelectorsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "p", "div"}
	var build func(depth int) string
	build = func(depth int) string {
		var s strings.Builder
		for range random.IntN(4) {
			name := names[random.IntN(4)]
			if name == "p" || name == "a" {
				name = "i" // differs from what HTML closes by itself
			}
			fmt.Fprintf(&s, "<%s class=c%d>", name, random.IntN(3))
			if depth > 0 {
				s.WriteString(build(depth - 1))
			}
			fmt.Fprintf(&s, "x</%s>", name)
		}
		return s.String()
	}
	for range 300 {
		root, err := html.Parse(strings.NewReader(build(5)))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for k := range 1 + random.IntN(4) {
			if k > 0 {
				text.WriteString([]string{" ", ">", " + ", "~ ", ", "}[random.IntN(5)])
			}
			text.WriteString([]string{"i", ".c1", "div", "b.c2", "*", "div:first-child",
				"b:not(.c0)", ":nth-child(2)", "div:has(.c1)", "[class='c2']"}[random.IntN(10)])
		}
		s, err := newSelector(text.String())
		if err != nil {
			t.Fatalf("%s: %v", text.String(), err)
		}
		want := map[*html.Node]bool{}
		for _, n := range matchAll(root, text.String()) {
			want[n] = true
		}
		got := map[*html.Node]bool{}
		search := newSearch([]*selector{s}, func(_ int, n *html.Node) { got[n] = true })
		none := make(ends, len(search.ways))
		search.below(root, none, none)
		if len(got) != len(want) {
			t.Fatalf("%s: %d found, want %d", text.String(), len(got), len(want))
		}
		for n := range want {
			if !got[n] {
				t.Fatalf("%s: %s is not found", text.String(), n.Data)
			}
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{`ignore-text: 'Updated: .*'`, "News\nUpdated: 10:31 today\nMore", "News\nMore"},
		{`ignore-text: ['\d+ views', '^Ad:.*$']`, "Story, 12 views, by Ann\nAd: buy",
			"Story, , by Ann"},
		{`watch-text: '(?i)price'`, "Price: 12\nstock: 3\nold price 13", "Price: 12\nold price 13"},
		{`{watch-text: 'price', ignore-text: '\d+'}`, "price 1\nx 2", "price"},
		{`ignore-text: 'x*'`, "axxb", "ab"},
		{`ignore-text: []`, "\n a \n\n b", "a\nb"},
	} {
		rule := strings.TrimSuffix(strings.TrimPrefix(c.rule, "{"), "}")
		r := parsed(t, "rules: [{prefix: '*', "+rule+"}]").For("http://a.example/")
		if got := string(r.Lines([]byte(c.text), nil)); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestValues(t *testing.T) {
	const document = `{"time": "10:31", "items": [{"id": 1, "price": 12.50, "seen": 3}, {"id": 2, "price": 1e2, "seen": 9}], "page": {"n": null, "t": "<b>"}}`
	for _, c := range []struct{ rule, want string }{
		{`{}`, `{ "items": [ { "id": 1 "price": 12.50 "seen": 3 } { "id": 2 "price": 1e2 "seen": 9 } ] "page": { "n": null "t": "<b>" } "time": "10:31" }`},
		{`{ignore: [$.time, $..seen]}`,
			`{ "items": [ { "id": 1 "price": 12.50 } { "id": 2 "price": 1e2 } ] "page": { "n": null "t": "<b>" } }`},
		{`{watch: "$.items[*].price"}`, `{ "items": [ { "price": 12.50 } { "price": 1e2 } ] }`},
		{`{watch: "$.items[?@.id==2]", ignore: $..seen}`,
			`{ "items": [ { "id": 2 "price": 1e2 } ] }`},
		{`{watch: $.page, ignore: $.page}`, `{ }`},
		{`{watch: $.none}`, ``},
	} {
		r := parsed(t, "rules: [{prefix: '*', json: "+c.rule+"}]").For("http://a.example/")
		lines, ok := r.Values([]byte(document), nil)
		if got := strings.Join(strings.Fields(string(lines)), " "); !ok || got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
	r := parsed(t, `rules: [{prefix: "*", json: {}}]`).For("http://a.example/")
	for _, bad := range []string{"", "{", "{} x", strings.Repeat("[", 65) + strings.Repeat("]", 65),
		"[" + strings.Repeat("1,", 100_000) + "1]", strings.Repeat(" ", 1<<20) + "1"} {
		var trace RuleTrace
		if lines, ok := r.Values([]byte(bad), &trace); ok || string(lines) != bad ||
			len(trace.Notes) != 1 {
			t.Errorf("%.20q is taken for JSON: %v", bad, trace.Notes)
		}
	}
}

// TestFingerprint checks that rules with equal content have one fingerprint, also in another
// process.
func TestFingerprint(t *testing.T) {
	s := parsed(t, `rules:
- {prefix: "http://a.example/", ignore: .ad, json: {watch: $.a}, simhash: 3}
- {prefix: "http://b.example/", ignore: [.ad], json: {watch: [$.a]}, simhash: 3}
- {prefix: "http://c.example/", watch: .ad, json: {watch: $.a}, simhash: 3}
`)
	a, b, c := s.For("http://a.example/"), s.For("http://b.example/"), s.For("http://c.example/")
	if a.fingerprint != b.fingerprint || a.fingerprint == c.fingerprint {
		t.Errorf("fingerprints %x %x %x", a.fingerprint, b.fingerprint, c.fingerprint)
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(a); err != nil {
		t.Fatal(err)
	}
	var again Rule
	if err := gob.NewDecoder(&buf).Decode(&again); err != nil {
		t.Fatal(err)
	}
	text := []byte("some text of a page")
	if again.Digest(text) != a.Digest(text) || !a.Made(again.Digest(text)) ||
		c.Made(again.Digest(text)) || again.Prefix() != a.Prefix() {
		t.Error("the rule is another one behind gob")
	}
}

// TestSimHash checks that a small change gives a small distance, and a large change a large one.
func TestSimHash(t *testing.T) {
	words := make([]string, 400)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range words {
		words[i] = fmt.Sprintf("word%d", random.IntN(5000))
	}
	r := parsed(t, `rules: [{prefix: "*", simhash: 6}]`).For("http://a.example/")
	of := func(words []string) (d int) {
		return r.Digest([]byte(strings.Join(words, " "))).Distance(
			r.Digest([]byte(strings.Join(append([]string{}, words...), ", "))))
	}
	if of(words) != 0 {
		t.Error("punctuation counts")
	}
	first := r.Digest([]byte(strings.Join(words, " ")))
	few := append([]string{}, words...)
	few[17] = "other"
	many := append([]string{}, words...)
	for i := range many[:200] {
		many[i] = fmt.Sprintf("new%d", i)
	}
	if d := first.Distance(r.Digest([]byte(strings.Join(few, " ")))); d > 6 {
		t.Errorf("one word of 400: %d bits", d)
	}
	if d := first.Distance(r.Digest([]byte(strings.Join(many, " ")))); d <= 6 {
		t.Errorf("half of the words: %d bits", d)
	}
	if SimHash([]byte("A b, c")) != SimHash([]byte("a B c")) || SimHash(nil) != 0 ||
		SimHash([]byte("...")) != 0 {
		t.Error("SimHash of small texts")
	}
}

// TestBounded checks that any rule on any page has a bounded cost. Without bounds this test would
// take hours.
func TestBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	long := bytes.Repeat([]byte("a"), 2_000_000)
	lines := bytes.Repeat([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"), 60_000)
	r := parsed(
		t, `rules: [{prefix: "*", ignore-text: ['a.*b|a', '(a|b|ab)*c', '((a{0,9}){0,9}b){4}', '(.*)(.*)(.*)(.*)x'], watch-text: ['(.*a){20}b']}]`).For("http://a.example/")
	r.Lines(long, nil)
	r.Lines(lines, nil)

	deep := strings.Repeat("<div>", 500) + strings.Repeat("<b></b>", 90_000)
	root, err := html.Parse(strings.NewReader(deep))
	if err != nil {
		t.Fatal(err)
	}
	chain := parsed(
		t, `rules: [{prefix: "*", ignore: ["i div div div div div div div div div b", "b ~ b ~ b ~ b ~ i", "b:nth-child(2n)", "b:has(i)"]}]`).For("http://a.example/")
	var trace RuleTrace
	chain.Choose(root, &trace)
	if len(trace.Notes) != 1 ||
		!strings.Contains(trace.Notes[0], "2 of 4 selectors were left out") {
		t.Errorf("notes %q", trace.Notes)
	}
}

// FuzzRules checks that no file of rules and no page ends the program, that the selected text is
// the same each time, and that ignoring text does not lengthen it.
func FuzzRules(f *testing.F) {
	f.Add("rules: [{prefix: '*', watch: 'div > p, a', ignore: '.x:not(.y)', ignore-text: '\\d+', "+
		"simhash: 3}]", "<div class=x><p>a 1<p>b")
	f.Add("rules: [{prefix: 'http://a.example/', change: bytes, watch-text: [a], json: {watch: "+
		"'$..a', ignore: '$.b[0,1]'}}]", `{"a": [1, {"a": 2}], "b": [1]}`)
	f.Fuzz(func(t *testing.T, file, page string) {
		if len(file)+len(page) > 1<<12 {
			return
		}
		set, err := ParseRules("f", []byte(file))
		if err != nil {
			return
		}
		r := set.For("http://a.example/")
		if r == nil {
			return
		}
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return
		}
		for n := range r.Choose(root, &RuleTrace{}).Ignored {
			if n.Type != html.ElementNode {
				t.Errorf("%q is no element", n.Data)
			}
		}
		left := r.Lines([]byte(page), &RuleTrace{})
		if again := r.Lines([]byte(page), nil); !bytes.Equal(left, again) || len(left) > len(page) {
			t.Errorf("%q leaves %q, then %q", page, left, again)
		}
		if r.JSON() {
			one, ok := r.Values([]byte(page), &RuleTrace{})
			two, _ := r.Values([]byte(page), nil)
			if !bytes.Equal(one, two) || !ok && string(one) != page {
				t.Errorf("%q leaves %q, then %q", page, one, two)
			}
		}
		var buf bytes.Buffer
		var again Rule
		if gob.NewEncoder(&buf).Encode(r) != nil || gob.NewDecoder(&buf).Decode(&again) != nil ||
			again.Digest(left) != r.Digest(left) {
			t.Error("the rule is another one behind gob")
		}
	})
}
