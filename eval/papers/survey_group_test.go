package papers

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestBySuffix(t *testing.T) {
	for server, want := range map[string]string{
		"www.example.org": "org", "example.org:8080": "org", "www.u-tokyo.ac.jp": "ac.jp",
		"a.co.uk:81": "co.uk", "devrel.jp": "jp",
		"co.jp": "jp", "scar.simcz.tw": "tw", "x.github.io": "io", "localhost": "localhost",
		"localhost:80": "localhost",
		"127.0.0.1":    "address", "127.0.0.1:8080": "address", "[::1]": "address",
		"[2001:db8::1]:80": "address", "example.org.": "org",
	} {
		if got := BySuffix(server); got != want {
			t.Errorf("%s is in group %q, want %q", server, got, want)
		}
	}
}

func TestReadGroups(t *testing.T) {
	got, err := ReadGroups(strings.NewReader("\ufeff# kinds\n\nWWW.a.org\tnews and blogs "+
		"\r\nb.org:81   docs\nb.org:81 docs\n"), "kinds.tsv")
	if want := map[string]string{"www.a.org": "news and blogs", "b.org:81": "docs"}; err != nil ||
		!maps.Equal(got, want) {
		t.Errorf("groups %v, %v, want %v", got, err, want)
	}
	for text, want := range map[string]string{
		"a.org x\nb.org\n":                     `kinds.tsv:2: "b.org" has no group`,
		"a.org x\n\nhttp://b.org/ y\n":         `kinds.tsv:3: "http://b.org/" is an address`,
		"a.org x\nA.org y\n":                   `kinds.tsv:2: a.org is in group "x" and in "y"`,
		"a.org " + strings.Repeat("x", 70_000): "kinds.tsv:1: ",
		"# nothing\n":                          "kinds.tsv: no line",
		"":                                     "kinds.tsv: no line",
		strings.Repeat("\x1f\x8b\x08\x00", 40_00): `kinds.tsv:1: `,
	} {
		if _, err := ReadGroups(strings.NewReader(text), "kinds.tsv"); err == nil ||
			!strings.HasPrefix(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
}

// TestGroups checks that a server without a line is in no group, and that both kinds of mismatch
// are reported.
func TestGroups(t *testing.T) {
	groups := Groups{"a.org": "news", "z.org": "docs"}
	if got := groups.Of("b.org"); groups.Of("a.org") != "news" || got != Ungrouped {
		t.Errorf("a.org is in group %q, b.org in %q", groups.Of("a.org"), got)
	}
	want := []string{
		"kinds.tsv: no history is of server z.org",
		`kinds.tsv names no group for 2 of 3 servers; they are group "ungrouped"`,
	}
	if got := groups.Unfit("kinds.tsv", []string{"a.org", "b.org", "c.org"}); !slices.Equal(got,
		want) {
		t.Errorf("unfit %q, want %q", got, want)
	}
	if got := groups.Unfit("kinds.tsv", []string{"a.org", "z.org"}); len(got) > 0 {
		t.Errorf("unfit %q, want nothing", got)
	}
	for name, want := range map[string]string{"suffix": "org", "server": "a.org", "none": "all"} {
		if of, ok := Grouping(name); !ok || of("a.org") != want {
			t.Errorf("by %s: not in group %q", name, want)
		}
	}
	if _, ok := Grouping("moon"); ok {
		t.Error("servers are grouped by moon")
	}
}
