package core_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestSitesRefused gives sites invalid input, which it must refuse with a useful hint.
func TestSitesRefused(t *testing.T) {
	dir := t.TempDir()
	file := figure4(t, fx4Paths, fx4Edges)
	unlinked := linked(t, []string{"/", "/a", "/b"}, nil)
	noTop := linked(t, []string{"/a", "/b"}, map[string][]string{"/a": {"/b"}})
	digest := `"digest":"` + sitegraph.DigestOf(nil).String() + `"`
	late := writeFile(t, filepath.Join(dir, "late.jsonl"),
		`{"url":"http://a.example/a","t":0,`+digest+`,"links":["http://a.example/"]}`+"\n"+
			`{"url":"http://a.example/","t":8467200,`+digest+`,"links":[]}`+"\n")
	histories := filepath.Join(dir, "histories")
	if err := os.Mkdir(histories, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"docs.example", "www.docs.example", "news.example"} {
		writeFile(t, filepath.Join(histories, name+".jsonl.gz"), historyFile(t, name, 2))
	}
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		words []string
	}{
		{"server that is not there", []string{"--history", file, "b.example"}, 2,
			[]string{`"b.example"`, file, `did you mean "a.example"?`}},
		{"server misspelt in a directory", []string{"--history", histories, "new.example"}, 2,
			[]string{`did you mean "news.example"?`}},
		{"part of a name", []string{"--history", histories, "docs"}, 2,
			[]string{`did you mean "docs.example" or "www.docs.example"?`}},
		{"address of a server that is not there",
			[]string{"--history", histories, "http://new.example/"}, 2,
			[]string{`did you mean "news.example"`}},
		{"nothing alike", []string{"--history", histories, "zzzzzzzzzz"}, 2,
			[]string{"known are: ", "docs.example", "news.example"}},
		{"path for a server", []string{"--history", histories, "../histories/news.example"}, 2,
			[]string{`did you mean "news.example"`}},
		{"history without links", []string{"--history", unlinked, "a.example"}, 1,
			[]string{unlinked, "none of the 3 pages", "links"}},
		{"top page that comes later", []string{"--history", late, "a.example"}, 2,
			[]string{"week 12", "--base 14"}},
		{"unknown method", []string{"--history", file, "a.example", "--method", "d"}, 2,
			[]string{"--method d", "a, b, b-closure, c, c-closure"}},
		{"base outside the window", []string{"--history", file, "a.example", "--base", "60"}, 2,
			[]string{"--base 60", "59"}},
		{"history and data", []string{"--history", file, "--data", dir, "a.example"}, 2,
			[]string{"both --history and --data"}},
		{"neither history nor data", []string{"a.example"}, 2,
			[]string{"neither --history nor --data"}},
		{"no server", []string{"--history", file}, 2, []string{"one server"}},
		{"no such history", []string{"--history", filepath.Join(dir, "none"), "a.example"}, 1,
			[]string{"none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			recrawl(t, append([]string{"sites"}, c.args...)...).refused(t, c.code, c.words...)
		})
	}
	if r := recrawl(t, "sites", "--history", noTop, "a.example").ok(t); !strings.Contains(r.stderr,
		"no top page; it is entered at the pages seen first: http://a.example/a\n") {
		t.Errorf("of a history without a top page: %s", r.stderr)
	}
	if found, err := filepath.Glob(filepath.Join(dir, ".recrawl-*")); err != nil || len(found) > 0 {
		t.Errorf("left behind: %v, %v", found, err)
	}
}

// TestSitesOfDirectory finds a server's file in a directory without reading the others.
func TestSitesOfDirectory(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.example.jsonl.gz"), historyFile(t, "a.example", 3))
	writeFile(t, filepath.Join(dir, "b.example.jsonl.gz"), "damaged")
	recrawl(t, "sites", "--history", dir, "a.example").ok(t)
	recrawl(t, "sites", "--history", dir, "http://a.example/page").ok(t)
	recrawl(t, "sites", "--history", dir, "c.example").refused(t, 1, "b.example.jsonl.gz")
}

// TestSitesOfData divides a server that a planner has crawled, and an unknown one.
func TestSitesOfData(t *testing.T) {
	lab := serve(t, library(shelves{servers: 1, sections: 2, pages: 3, days: 1, every: still}))
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	recrawl(t, "run", "--data", data, "--user-agent", contact, "--allow-private", "--delay", "1ms",
		"--rounds", "1", "--unlimited", "--quiet", lab.starts()[0]).ok(t)
	server := strings.TrimPrefix(lab.bases[0], "http://")
	p := decode[partition](t, recrawl(t, "sites", "--data", data, server, "--method", "c-closure",
		"--json").ok(t), true)
	if p.Pages != 2+2*4 || p.Base != 0 || p.Method != "c-closure" || len(p.Sites) != 3 {
		t.Errorf("%+v", p)
	}
	recrawl(t, "sites", "--data", data, "127.0.0.1").refused(t, 2, data, server)
}
