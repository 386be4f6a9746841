package watch

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner/preferences"
)

func TestFile(t *testing.T) {
	f, err := parse([]byte(`
contact: you@example.org
targets:
  chat: https://chat.example/hook
  hook: {webhook: "https://example.org/hook", secret: "${SECRET}"}
  script: {command: [notify, -v]}
rules:
- name: prices
  url: https://EXAMPLE.com/item/1
  select: "#price"
  max-age: 90s
  to: [chat, "https://example.org/other"]
- name: docs
  prefix: https://example.com/docs/
  hours: mon-fri 08:00-18:00 UTC
  weight: 3
  to: hook
`))
	if err != nil {
		t.Fatal(err)
	}
	if names := strings.Join(f.Names(),
		" "); names != "chat hook https://example.org/other script" {
		t.Errorf("targets are %s", names)
	}
	if got := strings.Join(f.MaxAges(nil), " "); got != "https://example.com/item/1$=1m30s" {
		t.Errorf("greatest ages are %s", got)
	}
	if got := strings.Join(f.Weights(), " "); got != "https://example.com/docs/=3" {
		t.Errorf("weights are %s", got)
	}
	f.Focus()
	if got := strings.Join(f.Weights(), " "); got != "*=0 https://example.com/item/1$=1 "+
		"https://example.com/docs/=3 https://example.com/sitemap.xml$=1" {
		t.Errorf("weights of a watch of its own are %s", got)
	}
	if got := strings.Join(f.MaxAges(nil),
		" "); got != "https://example.com/item/1$=1m30s https://example.com/docs/=24h0m0s" {
		t.Errorf("greatest ages of a watch of its own are %s", got)
	}
	if got := f.Round(); got != 45*time.Second {
		t.Errorf("rounds of %v", got)
	}
	if n := len(f.Texts("https://example.com/item/1")) +
		len(f.Texts("https://example.com/docs/a"))*10 +
		len(f.Texts("https://example.com/item/12"))*100; n != 11 {
		t.Errorf("texts: %d", n)
	}
	rests := 0
	f.Rests(func(pages string, minAge time.Duration, hours *preferences.Calendar) {
		rests++
		if pages == "https://example.com/docs/" && (minAge != time.Hour || hours == nil) {
			t.Errorf("%s rests for %v, %v", pages, minAge, hours)
		}
	})
	if rests != 2 {
		t.Errorf("%d rests", rests)
	}
	if closed := f.Closed(time.Hour); closed != "" {
		t.Error(closed)
	}
	if closed := f.Closed(24 * time.Hour); !strings.Contains(closed, "no round of 24h ") {
		t.Errorf("days within hours: %q", closed)
	}
}

func TestFileRefuses(t *testing.T) {
	const rule = "rules:\n- {name: a, url: https://a.example/, to: \"box://x\"}\n"
	if _, err := parse([]byte(rule)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, want string }{
		{"", "there are no rules"},
		{"rules: [", "it is not YAML"},
		{strings.Replace(rule, "url", "uri", 1), "unknown key uri"},
		{strings.Replace(rule, "https", "ftp", 1), "is not a web address"},
		{strings.Replace(rule, "to:", "prefix: https://a.example/, to:", 1),
			"either url: or prefix:"},
		{strings.Replace(rule, "to:", "tell: all, to:", 1), `"all" is none of changed, gone, new`},
		{strings.Replace(rule, "to:", "appears: \"(\", to:", 1), "not a regular expression"},
		{strings.Replace(rule, "to:", "select: \"a[\", to:", 1), "watch"},
		{strings.Replace(rule, "to:", "max-age: 1s, to:", 1), "max-age: want 10s"},
		{strings.Replace(rule, "to:", "max-age: 1h, min-age: 2h, to:", 1), "min-age: want no more"},
		{strings.Replace(rule, "to:", "hours: nine to five, to:", 1), "want days, hours"},
		{strings.Replace(rule, "to:", "expect: soon, to:", 1), "is not a time span"},
		{strings.Replace(rule, "to:", "of: bytes, to:", 1), "want \"main\" or \"text\""},
		{strings.Replace(rule, "box://x", "chat", 1), `no target "chat"`},
		{strings.Replace(rule, ", to: \"box://x\"", "", 1), "want to:"},
		{rule + "- {name: a, url: https://b.example/, to: \"box://x\"}\n",
			"rule 2 has no name of its own"},
		{rule + "targets: {x: {webhook: \"a://b\", file: c}}", "want one of webhook"},
		{rule + "targets: {x: {command: c, secret: c}}", "secret is of a webhook"},
		{rule + "targets: {x: {webhook: \"a://b\", text: true}}", "text of a command"},
		{rule + "targets: {x: {address: \"a://b\"}}", "unknown key address"},
	} {
		_, err := parse([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\nis refused with %v, want %q", test.text, err, test.want)
		}
	}
	// A value in a wrong place may be a secret.
	_, err := parse([]byte(rule + "targets: {x: {command: {a: geheimnis}, webhook: [geheim]}}"))
	if err == nil || strings.Contains(err.Error(), "geheim") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzParse checks that accepted rules give all settings that a planner needs.
func FuzzParse(f *testing.F) {
	f.Add([]byte("rules:\n- {name: a, prefix: \"https://a.example/\", select: [\"$.a\", b], max-age: 3}\n"))
	f.Add([]byte("contact: a@b\ntargets: {x: \"a://b\"}\nrules:\n- {name: a, url: " +
		"https://a.example/, max-age: 30d, hours: \"mon 08:00-09:00 UTC\", appears: [a, b], to: " +
		"[x, \"box://x\"]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parse(text)
		if err != nil {
			return
		}
		file.Focus()
		if r := file.Round(); r < time.Second || r > time.Hour || 24*time.Hour%r != 0 {
			t.Errorf("rounds of %v", r)
		}
		for i, url := range file.Starts() {
			if len(file.Texts(url)) == 0 || len(file.MaxAges(nil)) != len(file.Rules) {
				t.Errorf("rule %d is not of its own start", i)
			}
		}
	})
}

// FuzzCopy checks that a copy is read as written, and that anything else is refused.
func FuzzCopy(f *testing.F) {
	good, err := (&kept{Fingerprint: 7, Title: "T", Matches: []string{"+x"}, text: lorem}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, value []byte) {
		c, err := decodeCopy(value)
		if err != nil {
			return
		}
		again, err := c.encode()
		if err != nil {
			t.Fatal(err)
		}
		d, err := decodeCopy(again)
		if err != nil || d.text != c.text || d.Title != c.Title || d.Sum != c.Sum {
			t.Errorf("%+v is read as %+v, %v", c, d, err)
		}
	})
}

// FuzzDifference checks that removed and added words give back the texts.
func FuzzDifference(f *testing.F) {
	f.Add("a b c", "a x c")
	f.Add(lorem, lorem+" More.")
	f.Fuzz(func(t *testing.T, older, newer string) {
		older, newer = flat(strings.ToValidUTF8(older, "")), flat(strings.ToValidUTF8(newer, ""))
		d := differenceOf(older, newer)
		if (older == newer) != (d.Removed+d.Added == 0) {
			t.Errorf("%q and %q: %+v", older, newer, d)
		}
		shown := 0
		for _, p := range d.Pieces {
			shown += len(p.Text)
		}
		if text := d.Text(); shown > 2*mostShown || strings.ContainsAny(text, "\n\x1b") {
			t.Errorf("%d octets are shown: %q", shown, text)
		}
	})
}
