package sitegraph

import "testing"

func TestPartitionShape(t *testing.T) {
	join := func(lists ...[]string) (all []string) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	for _, c := range []struct {
		name  string
		paths []string // a hundred with the start page: a site should have 10
		want  []string
	}{
		{"dates", join(numbered("/2023/05/%d.html", 30), numbered("/2024/%d/x.html", 30),
			numbered("/tag/%d/", 20), numbered("/tag/%d/feed.xml", 19)),
			[]string{"/2024/1/x.html: 60", "/tag/1/: 20", "/tag/1/feed.xml: 19", "/: 1"}},
		{"slugs", join(slugs("/@/issues/1.html", 30), slugs("/@/wiki/1.html", 30), slugs("/@/", 30),
			numbered("/about/%d", 9)),
			[]string{"/ya/issues/1.html: 30", "/ya/wiki/1.html: 30", "/ya/: 30", "/: 10"}},
		{"frequent among slugs", join(slugs("/@/wiki/1.html", 30), numbered("/big/wiki/%d.html",
			40), slugs("/@/index.html", 29)),
			[]string{"/ya/wiki/1.html: 30", "/big/wiki/1.html: 40", "/ya/index.html: 29", "/: 1"}},
		{"hexadecimal", join(numbered("/commit/9fceb02d0ae%d/diff", 30),
			numbered("/commit/8b3ceb02daf%d/log/all", 30), numbered("/commit/log/%d", 39)),
			[]string{"/commit/9fceb02d0ae1/diff: 30", "/commit/8b3ceb02daf1/log/all: 30",
				"/commit/log/1: 39", "/: 1"}},
		{"parameters", join(numbered("/t?id=%d", 40), numbered("/t?id=%d&page=2", 40),
			numbered("/t?a%d", 5), numbered("/t?b=%d", 14)),
			[]string{"/t?id=1: 40", "/t?id=1&page=2: 40", "/t?b=1: 14", "/: 6"}},
		{"rare parameters", join(numbered("/t?a=%d", 8), numbered("/t?b=%d", 8), numbered("/u?c=%d",
			8), numbered("/p%d", 75)),
			[]string{"/t?a=1: 24", "/p1: 75", "/: 1"}},
		{"rare directories", join(numbered("/docs/a/%d.html", 6), numbered("/docs/b/%d.html", 6),
			numbered("/news/%d.html", 80), numbered("/news/x/%d.html", 7)),
			[]string{"/docs/a/1.html: 12", "/news/1.html: 80", "/: 8"}},
		{"rare endings", join(numbered("/f/%d.pdf", 6), numbered("/f/%d.doc", 6),
			numbered("/f/%d.html", 87)),
			[]string{"/f/1.doc: 12", "/f/1.html: 87", "/: 1"}},
		{"directories and their index pages",
			join(numbered("/a/%d/", 20), numbered("/b/%d/index.html", 20), numbered("/b/%d/", 20),
				numbered("/b/%d/x", 39)),
			[]string{"/a/1/: 20", "/b/1/: 40", "/b/1/x: 39", "/: 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.paths) != 99 {
				t.Fatalf("%d paths", len(c.paths))
			}
			wantSites(t, flatServer(c.paths), "shape", c.want...)
		})
	}
}

// slugs repeats a path with words without digits for @.
func slugs(format string, n int) (paths []string) {
	for i := range n {
		at := 0
		for format[at] != '@' {
			at++
		}
		paths = append(paths, format[:at]+string(rune('y'+i/26))+string(rune('a'+i%26))+
			format[at+1:])
	}
	return paths
}
