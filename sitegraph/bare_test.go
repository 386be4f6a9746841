package sitegraph

import "testing"

func TestBare(t *testing.T) {
	for url, want := range map[string]string{
		"https://www.h.example/a?b":    "h.example/a?b",
		"http://h.example:8080/":       "h.example:8080/",
		"https://www.example/x.html":   "www.example/x.html",
		"https://wwww.h.example/":      "wwww.h.example/",
		"urn:of nothing":               "urn:of nothing",
		"http://www.127.0.0.1.nip.io/": "127.0.0.1.nip.io/",
	} {
		if got := Bare(url); got != want {
			t.Errorf("%s is %s, want %s", url, got, want)
		}
	}
}
