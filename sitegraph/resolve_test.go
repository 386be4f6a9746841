package sitegraph

import (
	"strings"
	"testing"
)

// The examples of RFC 3986 5.4 with a web address as result.
func TestResolveRFC3986(t *testing.T) {
	r, err := NewResolver("http://a/b/c/d;p?q")
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
		"//g": "http://g/",
		"?y":  "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q",
		"g#s":   "http://a/b/c/g",
		"g?y#s": "http://a/b/c/g?y", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x",
		"g;x?y#s": "http://a/b/c/g;x?y",
		"":        "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
		"..": "http://a/b/", "../": "http://a/b/",
		"../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
		"../../g": "http://a/g", "../../../g": "http://a/g",
		"/./g": "http://a/g", "/../g": "http://a/g", "g.": "http://a/b/c/g.",
		".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..",
		"..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/",
		"g/./h":  "http://a/b/c/g/h",
		"g/../h": "http://a/b/c/h", "g;x=1/../y": "http://a/b/c/y",
		"g?y/../x": "http://a/b/c/g?y/../x", "g#s/../x": "http://a/b/c/g",
		"?": "http://a/b/c/d;p", "g?": "http://a/b/c/g",
	} {
		if got, ok := r.Resolve(ref); !ok || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", ref, got, ok, want)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	r, err := NewResolver("https://example.com/a/")
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{
		"mailto:a@example.com", "javascript:void(0)", "JavaScript:x", "java\nscript:x", "tel:+81-3",
		"data:text/html,x", "ftp://a/", "a:b",
		"//", "//:80", "http://a:b/", "/" + strings.Repeat("a", MaxURLBytes),
	} {
		if got, ok := r.Resolve(ref); ok {
			t.Errorf("Resolve(%.40q) = %q, want it refused", ref, got)
		}
	}
	for _, base := range []string{"", "/a", "mailto:a@example.com", "ftp://a/"} {
		if r, err := NewResolver(base); err == nil {
			t.Errorf("NewResolver(%q) has base %q, want an error", base, r.Base())
		}
	}
}

// FuzzResolve checks that the fast path agrees with the parser, that a result is canonical, and
// that the result resolves to itself on the same page.
func FuzzResolve(f *testing.F) {
	for i, ref := range canonicalCorners {
		f.Add("http://example.com/a/b?c", ref)
		f.Add(canonicalCorners[(i+7)%len(canonicalCorners)], ref)
	}
	for _, ref := range []string{
		"ü", "./ü/./b?c", "../ü..", "ü/\t.\n./b", "ü/%2e%2E/b", "ü\\b", "ü:b",
	} {
		f.Add("http://example.com/a/b/c?d", ref)
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		r, err := NewResolver(base)
		if err != nil {
			return
		}
		got, ok := r.Resolve(ref)
		if slow, slowOK := r.slow(ref); got != slow && (ok || slowOK) || ok != slowOK {
			t.Fatalf("on %q: Resolve(%q) = %q, %v; the parser says %q, %v",
				r.Base(), ref, got, ok, slow, slowOK)
		}
		if !ok {
			return
		}
		if same, err := Canonical(got); err != nil || same != got {
			t.Fatalf("on %q: Resolve(%q) = %q is not canonical: %q, %v",
				r.Base(), ref, got, same, err)
		}
		if same, ok := r.Resolve(got); !ok || same != got {
			t.Fatalf("on %q: Resolve(%q) = %q, %v, want it unchanged", r.Base(), got, same, ok)
		}
	})
}

// All calls share the parsed base; the race detector finds writes to it.
func TestResolveConcurrently(t *testing.T) {
	r, err := NewResolver("http://example.com/a/b?c=d")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	for range 4 {
		go func() {
			url, _ := r.Resolve("../%7Ex")
			done <- url
		}()
	}
	for range 4 {
		if url := <-done; url != "http://example.com/~x" {
			t.Errorf("got %q", url)
		}
	}
}

var benchmarkLinks = []string{"index.html", "/news/2004/05/", "https://www.example.com/about",
	"article-17.html?page=2",
	"https://other.example.org/path/to/page", "#top", "/css/style.css", "?sort=date",
	"archive/2003/12/31.html", "/"}

func BenchmarkResolve(b *testing.B) {
	r, err := NewResolver("https://www.example.com/news/2004/index.html")
	if err != nil {
		b.Fatal(err)
	}
	for name, resolve := range map[string]func(string) (string,
		bool){"fast": r.Resolve, "slow": r.slow} {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				if _, ok := resolve(benchmarkLinks[i%len(benchmarkLinks)]); !ok {
					b.Fatal("refused")
				}
				i++
			}
		})
	}
}
