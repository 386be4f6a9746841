package sitegraph

import (
	"strings"
	"testing"
	"time"
)

func TestRefuse(t *testing.T) {
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	b := DefaultBounds
	for path, want := range map[string]Refusal{
		"/":                             RefusedNot,
		"/2026/11/some-news.html":       RefusedNot,
		"/1984/":                        RefusedNot,
		"/archive/1890/05/12/page-1":    RefusedNot, // a newspaper
		"/2028/05/":                     RefusedNot,
		"/2031/05/":                     RefusedCalendar,
		"/cal/2031-05-01":               RefusedCalendar,
		"/cal?d=2031-01-02":             RefusedCalendar,
		"/cal?d=20310102":               RefusedCalendar,
		"/cal?year=2044&month=3":        RefusedCalendar,
		"/cal?date=1850-03":             RefusedCalendar,
		"/cal?d=2027-01-02":             RefusedNot,
		"/article?id=20310102123":       RefusedNot,
		"/product/9999-12345":           RefusedNot,
		"/a/b/a/b/a/b":                  RefusedNot,
		"/a/b/a/b/a/b/a/b":              RefusedRepeats,
		"/web/https://example.org//a//": RefusedNot,
		"/a//b///c//d":                  RefusedRepeats, // relative links that gain a slash
		"/" + strings.Repeat("x", 1000): RefusedLong,
		"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20":    RefusedNot,
		"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21": RefusedDeep,
		"/(S(4wsvhl55pcgq1f45kzx0ff45))/page.aspx":               RefusedSession,
		"/sid-8f3a9c01de/page":                                   RefusedSession,
		"/session-notes/page":                                    RefusedNot,
	} {
		if got := b.Refuse("http://h.example"+path, now); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestTidy(t *testing.T) {
	for path, want := range map[string]string{
		"/":                              "/",
		"/a//b///c":                      "/a//b///c",
		"/web/https://example.org/":      "/web/https://example.org/",
		"//":                             "//",
		"/;jsessionid=AB12/x":            "/x",
		"/a/;jsessionid=AB12//x":         "/a//x",
		"/;jsessionid=AB12":              "/",
		"/a;jsessionid=1;jsessionid=2/b": "/a/b",
		"/a?u=http://x//y":               "/a?u=http://x//y",
		"/a;jsessionid=AB12CD34?x=1":     "/a?x=1",
		"/a;JSESSIONID=AB12/b":           "/a/b",
		"/a?utm_source=x&id=3&gclid=abc": "/a?id=3",
		"/a?PHPSESSID=8f3a9c01":          "/a",
		"/a?sid=8f3a9c01de":              "/a",
		"/a?sid=3":                       "/a?sid=3",
		"/a?ASPSESSIONIDABC=X&b":         "/a?b",
	} {
		if got := Tidy("http://h.example" + path); got != "http://h.example"+want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func FuzzTidy(f *testing.F) {
	for _, path := range []string{"/a//b", "/a;jsessionid=1/b", "/a?utm_source=x&y",
		"/?sid=8f3a9c01de", "/;jsessionid=", "//", "/a/;jsessionid=x//..", "/%2e;jsessionid=1/x"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		url, err := Canonical("http://h.example/" + path)
		if err != nil {
			return
		}
		tidied := Tidy(url)
		if len(tidied) > len(url) || ServerName(tidied) != ServerName(url) {
			t.Errorf("%q became %q", url, tidied)
		}
		if again := Tidy(tidied); again != tidied {
			t.Errorf("%q, then %q", tidied, again)
		}
		if _, err := Canonical(tidied); err != nil {
			t.Errorf("%q became %q: %v", url, tidied, err)
		}
		DefaultBounds.Refuse(url, time.Unix(1_700_000_000, 0))
	})
}
