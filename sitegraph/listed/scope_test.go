package listed

import (
	"strings"
	"testing"
)

const list = `# seeds of a test
https://a.example/            server
https://b.example/news/2026/x directory   # and what is below
http://www.c.example/about    page
https://d.example/docs/       hops 2
https://a.example/            server
`

// TestHas checks which pages are in scope.
func TestHas(t *testing.T) {
	s, err := ParseScope(strings.NewReader(list))
	if err != nil || len(s.Seeds) != 4 {
		t.Fatalf("%v, %v", s, err)
	}
	s.Lead("https://d.example/docs/", "", []string{"https://d.example/1", "https://e.example/"})
	s.Lead("https://d.example/1", "", []string{"https://d.example/2"})
	s.Lead("https://d.example/2", "", []string{"https://d.example/3"})
	s.Lead("http://www.c.example/about", "https://moved.example/c", []string{"https://c.example/x"})
	s.Lead("https://f.example/", "https://f.example/y", nil)
	for url, want := range map[string]bool{
		"http://www.a.example/any":          true,
		"https://b.example/news/2026/":      true,
		"https://b.example/news/2026/y/z?a": true,
		"https://b.example/news/2025/":      false,
		"https://b.example/news/20267":      false,
		"https://c.example/about":           true,
		"https://c.example/about/":          false,
		"https://c.example/x":               false,
		"https://moved.example/c":           true,
		"https://moved.example/":            false,
		"https://d.example/1":               true,
		"https://d.example/2":               true,
		"https://d.example/3":               false,
		"https://e.example/":                false,
		"https://f.example/y":               false,
	} {
		if s.Has(url) != want {
			t.Errorf("%s is in scope: %v", url, !want)
		}
	}
	if !(*Scope)(nil).Has("https://x.example/") {
		t.Error("without a list a page is out of scope")
	}
}

// TestRemember checks that hops also count over pages which were known before.
func TestRemember(t *testing.T) {
	s, err := ParseScope(strings.NewReader("https://a.example/ hops 2\nhttps://a.example/far hops 1\n" +
		"https://b.example/ hops 1"))
	if err != nil {
		t.Fatal(err)
	}
	graph := map[string][]string{"/": {"/1", "/"}, "/1": {"/2", "/"}, "/2": {"/3"}, "/far": {"/4"},
		"/4": {"/5"}}
	s.Remember(func(url string) (redirect string, links []string) {
		switch url {
		case "https://b.example/":
			return "https://c.example/en/", nil
		case "https://c.example/en/":
			return "https://b.example/", []string{"https://c.example/en/1"}
		}
		for _, path := range graph[strings.TrimPrefix(url, "https://a.example")] {
			links = append(links, "https://a.example"+path)
		}
		return "", links
	})
	if !s.Has("https://c.example/en/1") || s.Has("https://c.example/en/2") {
		t.Error("what a seed redirects to has not its hops")
	}
	for path, want := range map[string]bool{"/1": true, "/2": true, "/3": false, "/4": true,
		"/5": false} {
		if s.Has("https://a.example"+path) != want {
			t.Errorf("%s is in scope: %v", path, !want)
		}
	}
}

// TestParseRefuses checks that an error names the line and what it may say.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "it has no start page yet",
		"# nothing":                     "it has no start page yet",
		"\nexample.org server":          "line 2: ",
		"https://a.example/ site":       `line 1: scope "site": want page, directory, server or hops N`,
		"https://a.example/ hops":       `want page`,
		"https://a.example/ hops 0":     "want a number from 1 to 11",
		"https://a.example/ hops 12":    "want a number from 1 to 11",
		"https://a.example/ hops 2 3":   "want a number from 1 to 11",
		"https://a.example/ page page":  "want page",
		strings.Repeat("x", 10_000):     "token too long",
		"ftp://a.example/\nmailto:a@b/": "line 2: ",
	} {
		if _, err := ParseScope(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse checks that the seeds of an accepted list are in its scope.
func FuzzParse(f *testing.F) {
	f.Add(list)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScope(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, seed := range s.Seeds {
			if !s.Has(seed) {
				t.Errorf("the seed %s is out of scope", seed)
			}
		}
	})
}
