package sitegraph

import (
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ rule, raw, want string }{
		{"plain", "http://example.com/a/b.html?x=1&y=2", "http://example.com/a/b.html?x=1&y=2"},
		{"empty path", "http://example.com", "http://example.com/"},
		{"empty path, query", "http://example.com?a", "http://example.com/?a"},
		{"case of scheme and host", "HTTP://Example.COM/Path", "http://example.com/Path"},
		{"default port", "http://example.com:80/", "http://example.com/"},
		{"default port of https", "https://example.com:443/", "https://example.com/"},
		{"port of the other scheme", "https://example.com:80/", "https://example.com:80/"},
		{"other port", "http://example.com:8080/", "http://example.com:8080/"},
		{"port with zeros", "http://example.com:0080/", "http://example.com/"},
		{"empty port", "http://example.com:/a", "http://example.com/a"},
		{"user information", "http://user:secret@example.com/", "http://example.com/"},
		{"fragment", "http://example.com/a#b c%", "http://example.com/a"},
		{"empty query", "http://example.com/a?", "http://example.com/a"},
		{"empty query, fragment", "http://example.com/a?#b", "http://example.com/a"},
		{"query in its order", "http://example.com/?b=2&a=1", "http://example.com/?b=2&a=1"},
		{"question marks in a query", "http://example.com/a??b?", "http://example.com/a??b?"},
		{"dot segments", "http://example.com/a/./b/../c/..", "http://example.com/a/"},
		{"dot segments above the root", "http://example.com/../../a", "http://example.com/a"},
		{"escaped dot segments", "http://example.com/a/%2e%2E/b", "http://example.com/b"},
		{"dots that are none", "http://example.com/.a/..b/c..", "http://example.com/.a/..b/c.."},
		{"dot segments in a query", "http://example.com/?a=/../b", "http://example.com/?a=/../b"},
		{"repeated slashes", "http://example.com//a///b", "http://example.com//a///b"},
		{"case of escapes", "http://example.com/%e3%81%82?%c3%bc",
			"http://example.com/%E3%81%82?%C3%BC"},
		{"unreserved escapes", "http://example.com/%7Euser/%41%2d%2E%5f?%61",
			"http://example.com/~user/A-._?a"},
		{"reserved escapes", "http://example.com/a%2Fb%3Fc%23?d%26e",
			"http://example.com/a%2Fb%3Fc%23?d%26e"},
		{"escapes once only", "http://example.com/%2541%25%34%31", "http://example.com/%2541%2541"},
		{"percent sign", "http://example.com/100%?50%x", "http://example.com/100%25?50%25x"},
		{"percent sign before an escape", "http://example.com/%%34%31", "http://example.com/%2541"},
		{"illegal octets", "http://example.com/a|b^c{d}?e|f",
			"http://example.com/a%7Cb%5Ec%7Bd%7D?e%7Cf"},
		{"quote", "http://example.com/it's?it's", "http://example.com/it's?it%27s"},
		{"brackets", "http://example.com/a[1]?b[]=2", "http://example.com/a[1]?b[]=2"},
		{"non-ASCII", "http://example.com/日本?ü", "http://example.com/%E6%97%A5%E6%9C%AC?%C3%BC"},
		{"space", " http://example.com/a b\t?c d\n", "http://example.com/a%20b?c%20d"},
		{"backslash", `http://example.com\a\b`, "http://example.com/a/b"},
		{"root dot", "http://example.com./a", "http://example.com/a"},
		{"IPv4", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
		{"IPv6", "http://[::1]:8080/", "http://[::1]:8080/"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			checkCanonical(t, c.raw, c.want)
		})
	}
}

func checkCanonical(t *testing.T, raw, want string) {
	t.Helper()
	got, err := Canonical(raw)
	if err != nil {
		t.Fatalf("Canonical(%q): %v", raw, err)
	}
	if got != want {
		t.Errorf("Canonical(%q) = %q, want %q", raw, got, want)
	}
	if again, err := Canonical(got); err != nil || again != got {
		t.Errorf("Canonical(%q) = %q, %v; want it unchanged", got, again, err)
	}
	if slow, err := canonicalSlow(raw); err != nil || slow != got {
		t.Errorf("parser alone: Canonical(%q) = %q, %v; want %q", raw, slow, err, got)
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, c := range []struct{ raw, why string }{
		{"", "refused"},
		{"/relative", "refused"},
		{"ftp://example.com/", "only http and https"},
		{"mailto:someone@example.com", "only http and https"},
		{"javascript:void(0)", "only http and https"},
		{"http://", "refused"},
		{"http://example.com:99999/", "refused"},
		{"http://exa mple.com/", "refused"},
		{"http://example.com/" + strings.Repeat("a", MaxURLBytes), "longer than 2048 octets"},
		{"http://example.com/" + strings.Repeat("ü", MaxURLBytes/4), "longer than 2048 octets"},
	} {
		got, err := Canonical(c.raw)
		if err == nil {
			t.Errorf("Canonical(%.60q) = %q, want an error", c.raw, got)
		} else if !strings.Contains(err.Error(), c.why) {
			t.Errorf("Canonical(%.60q): error %q does not say %q", c.raw, err, c.why)
		}
	}
}

func TestCanonicalLongestKept(t *testing.T) {
	url := "http://example.com/"
	url += strings.Repeat("a", MaxURLBytes-len(url))
	checkCanonical(t, url, url)
	checkCanonical(t, url+"#fragment", url)
}

// canonicalCorners are addresses that reach the corners of the rules. They are also seeds of the
// fuzz targets.
var canonicalCorners = []string{
	"http://a../", "http://256../", "http://./", "http://../", "http://1.2.3.4./", "http://0x7f.1/",
	"http://a:1/", "http://a:65535", "http://a:60000?", "http://xn--bcher-kva.example/",
	"http://BÜCHER.example/",
	"http://a_b/", "http://-a-/", "http://a/%%32%65/b", "http://a/%2%65", "http://a/.%2e%2F",
	"http:a", "http:/a",
	"//b/c", "?q", "#f", "", ".", "..", "./a:b", "a:b", "a/b:c", "/", "//", "///c", "http:?a",
	"a?b#c", "\t/a\n", "%2e%2e/x",
	"HTTP://A/B", "https://a/?", "http://a/'?'", "/a//../b", "http://a/\xff", "http://\xff/",
	"http://a@b@c/", "http://[::127.0.0.1]/",
}

// FuzzCanonical checks that a canonical form stays unchanged, that the fast path agrees with the
// parser, and that the result has the promised shape.
func FuzzCanonical(f *testing.F) {
	for _, raw := range canonicalCorners {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Canonical(raw)
		slow, slowErr := canonicalSlow(raw)
		if got != slow || (err == nil) != (slowErr == nil) {
			t.Fatalf("Canonical(%q) = %q, %v; the parser says %q, %v", raw, got, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		for _, again := range []func(string) (string, error){Canonical, canonicalSlow} {
			if second, err := again(got); err != nil || second != got {
				t.Fatalf("Canonical(%q) = %q, and of that %q, %v", raw, got, second, err)
			}
		}
		if !strings.HasPrefix(got, "http://") && !strings.HasPrefix(got, "https://") {
			t.Fatalf("Canonical(%q) = %q, not of the web", raw, got)
		}
		if len(got) > MaxURLBytes || strings.ContainsAny(got, "# \t\n\\") || ServerName(got) == "" {
			t.Fatalf("Canonical(%q) = %q has not the promised form", raw, got)
		}
		if dir := Directory(got); !strings.HasPrefix(got, dir) || !strings.HasSuffix(dir, "/") {
			t.Fatalf("Directory(%q) = %q", got, dir)
		}
	})
}

func BenchmarkCanonical(b *testing.B) {
	const plain = "https://www.example.com/news/2004/05/article-17.html?page=2"
	b.Run("fast", func(b *testing.B) {
		for b.Loop() {
			if _, err := Canonical(plain); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("slow", func(b *testing.B) {
		for b.Loop() {
			if _, err := canonicalSlow(plain); err != nil {
				b.Fatal(err)
			}
		}
	})
}
