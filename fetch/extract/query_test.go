package extract

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// TestQueryEncoding compares links of pages in other encodings with the requests of browsers
// (WHATWG URL 1.3, web-platform-tests html/infrastructure/urls/resolving-urls/query-encoding).
func TestQueryEncoding(t *testing.T) {
	for _, c := range []struct{ charset, ref, want string }{
		{"utf-8", "?q=é", "?q=%C3%A9"},
		{"windows-1252", "?q=é", "?q=%E9"},
		{"iso-8859-1", "/é?q=é#é", "/%C3%A9?q=%E9"},
		{"windows-1252", "/é#?é", "/%C3%A9"},
		{"windows-1252", "?q=日", "?q=%26%2326085%3B"},
		{"windows-1252", "?a=日&b=é;", "?a=%26%2326085%3B&b=%E9;"},
		{"windows-1252", "?q=%E9é", "?q=%E9%E9"},
		{"windows-1252", "?q='é\"<x>\t y ", "?q=%27%E9%22%3Cx%3E%20y"},
		{"windows-1251", "http://h.example/?q=ж", "/?q=%E6"},
		{"shift_jis", "?q=日本", "?q=%93%FA%96%7B"},
		{"shift_jis", "?q=ア", "?q=%83A"},
		{"euc-jp", "?q=日本", "?q=%C6%FC%CB%DC"},
		{"iso-2022-jp", "?q=日本", "?q=%1B$BF|K\\%1B(B"},
		{"gbk", "?q=中", "?q=%D6%D0"},
		{"big5", "?q=中", "?q=%A4%A4"},
		{"euc-kr", "?q=한", "?q=%C7%D1"},
		{"koi8-r", "//h.example?q=ж", "/?q=%D6"},
	} {
		encoding, err := htmlindex.Get(c.charset)
		if err != nil {
			t.Fatal(err)
		}
		// A character that the encoding lacks is written as a reference.
		var ref strings.Builder
		for _, r := range c.ref {
			if r < 0x80 {
				ref.WriteRune(r)
			} else {
				encoded, err := encoding.NewEncoder().String(string(r))
				if err != nil {
					encoded = "&#26085;"
				}
				ref.WriteString(encoded)
			}
		}
		body := `<a href="` + strings.ReplaceAll(ref.String(), `"`, "&quot;") + `">`
		p := HTML([]byte(body), "text/html; charset="+c.charset, self, Options{})
		want := c.want
		want = strings.NewReplacer("|", "%7C", "\\", "%5C").Replace(want) // our canonical form
		if strings.HasPrefix(want, "?") {
			want = self + want
		} else {
			want = "http://h.example" + want
		}
		if !slices.Equal(p.Links, []string{want}) {
			t.Errorf("%s on a page in %s leads to %q, want %q", c.ref, c.charset, p.Links, want)
		}
	}
	utf16 := "\xff\xfe<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00?\x00\xe9\x00>\x00"
	if p := HTML([]byte(utf16), "", self, Options{}); !slices.Equal(p.Links,
		[]string{self + "?%C3%A9"}) {
		t.Errorf("on a page in UTF-16: %q", p.Links)
	}
}

// FuzzEncodeQuery checks that only the query changes, that it becomes ASCII, and that a second
// encoding changes nothing.
func FuzzEncodeQuery(f *testing.F) {
	f.Add("a?é#é", "windows-1252")
	f.Add("?日本\t", "shift_jis")
	f.Add("x?日é\x01", "iso-2022-jp")
	f.Fuzz(func(t *testing.T, ref, name string) {
		if len(ref) > 4096 {
			return
		}
		to := queries(name)
		got := encodeQuery(ref, to)
		path, _, _ := strings.Cut(strings.SplitN(ref, "#", 2)[0], "?")
		if !strings.HasPrefix(got, path) {
			t.Fatalf("%q becomes %q: another path", ref, got)
		}
		if _, query, ok := strings.Cut(strings.SplitN(got, "#", 2)[0], "?"); ok && to != nil &&
			!isASCII(query) {
			t.Fatalf("%q becomes %q: not ASCII", ref, got)
		}
		if again := encodeQuery(got, to); again != got {
			t.Fatalf("%q becomes %q, and that %q", ref, got, again)
		}
	})
}
