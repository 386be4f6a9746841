package sitegraph

import (
	"strings"
	"testing"
)

func TestShape(t *testing.T) {
	const h = "http://example.com"
	for url, want := range map[string]string{
		h + "/":                             "/",
		h:                                   "/",
		h + "/index.html":                   "/",
		h + "/Default.aspx":                 "/",
		h + "/index.xml.gz":                 "/*.gz",
		h + "/2024/05/some-slug.html":       "/#/#/*.html",
		h + "/2024-05-01/some-slug.html":    "/#/*.html",
		h + "/posts/abc/":                   "/posts/*/",
		h + "/posts/abc/index.html":         "/posts/*/",
		h + "/posts/abc/INDEX.PHP?id=7":     "/posts/*/?id=",
		h + "/about":                        "/*",
		h + "/docs/v1.10.2/api.PHP":         "/docs/v#/*.php",
		h + "/docs/release-3/x.7":           "/docs/release-#/*",
		h + "/a.b.c/file.verylong":          "/a.b.c/*",
		h + "/song.mp3":                     "/*.mp3",
		h + "/view?id=7&lang=en":            "/*?id=&lang=",
		h + "/view?id=9&lang=ja":            "/*?id=&lang=",
		h + "/view?tag[]=1&tag[]=2;tag[]=3": "/*?tag[]=",
		h + "/wiki?FrontPage":               "/*?*",
		h + "/wiki?":                        "/*?",
		h + "/wiki?p1=a&p2=b&a":             "/*?p#=&*",
		h + "/%E3%81%82/%E3%81%84":          "/%E3%81%82/*",
		h + "/objects/550e8400-e29b-41d4-a716-446655440000/x": "/objects/#/*",
		h + "/commit/9fceb02d0ae5/diff.html":                  "/commit/#/*.html",
		h + "/facade/decade/x.html":                           "/facade/decade/*.html",
		h + "/web/http://other.example/x":                     "/web/http://other.example/*",
		h + "//a//b//":                                        "//a//b//",
		h + "/a/b/?x=/y/z":                                    "/a/*/?x=",
		"":                                                    "/",
	} {
		if got := Shape(url); got != want {
			t.Errorf("shape of %s is %s, want %s", url, got, want)
		}
	}
}

func TestShapeAllocates(t *testing.T) {
	url := "http://example.com/2024/05/some-slug.html?id=7&lang=en"
	if n := testing.AllocsPerRun(100, func() { Shape(url) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzShape checks three properties of a shape: its own shape is the same, it is hardly longer than
// its address, and it does not depend on the numbers in the address.
func FuzzShape(f *testing.F) {
	for _, url := range []string{"http://h/2024/05/a.html", "http://h/a/index.html?b=1&c",
		"/x//5-#%4/", "http:///?&&", "http://h/1.2-3/5%41/x.y1"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		shape := Shape(url)
		if again := Shape(shape); again != shape {
			t.Errorf("%q has shape %q, and that %q", url, shape, again)
		}
		if len(shape) > len(url)+2 || !strings.HasPrefix(shape, "/") {
			t.Errorf("%q has shape %q", url, shape)
		}
		if other := otherDigits(url); !strings.ContainsAny(url, "%?") && Shape(other) != shape {
			t.Errorf("%q has shape %q, but %q has %q", url, shape, other, Shape(other))
		}
	})
}

// otherDigits changes the digits of an address, except those of an extension.
func otherDigits(url string) string {
	name := strings.LastIndexByte(url, '/') + 1
	other := []byte(url)
	for i, c := range other[:name] {
		if '0' <= c && c <= '9' {
			other[i] = '9' - (c - '0')
		}
	}
	return string(other)
}

func BenchmarkShape(b *testing.B) {
	for name, url := range map[string]string{
		"dated": "http://www.example.com/2024/05/some-title-of-a-post.html",
		"query": "http://www.example.com/forum/viewtopic.php?forum=12&topic=34567&start=20",
		"plain": "http://www.example.com/project/documentation/reference/latest/",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			octets := 0
			for b.Loop() {
				octets += len(Shape(url))
			}
		})
	}
}
