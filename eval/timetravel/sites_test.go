package timetravel

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/crashtest"
)

// recordedSites returns the files of whole sites beside the module: the smallest, or all with
// RECRAWL_LONG. Without any it skips the test: the pages may not be published.
func recordedSites(t *testing.T) (files []string) {
	t.Helper()
	pattern := "devrel.jp.jsonl.gz"
	if crashtest.Long() {
		pattern = "*.jsonl.gz"
	}
	// this package is two levels below the module root
	files, _ = filepath.Glob(filepath.Join("../../../shared/data/sites", pattern))
	if len(files) == 0 {
		t.Skip("the recorded sites, shared/data/sites beside the module, are not there")
	}
	return files
}

func TestRecordedSites(t *testing.T) {
	if testing.Short() {
		t.Skip("extracts 10,000 page versions")
	}
	for _, file := range recordedSites(t) {
		t.Run(siteName(file), func(t *testing.T) {
			start := time.Now()
			web, err := LoadSites(file)
			if err != nil {
				t.Fatal(err)
			}
			loaded := time.Since(start)
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			t.Logf("%d servers loaded in %v, %d MB live",
				len(web.Servers()), loaded.Round(time.Millisecond), m.HeapAlloc>>20)
			start = time.Now()
			servers, err := Histories(context.Background(), web,
				HistoryOptions{Agent: "recrawl", Main: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("histories in %v", time.Since(start).Round(time.Millisecond))
			for _, s := range servers {
				pages, redirects, versions := 0, 0, 0
				reached := map[string]bool{}
				for _, p := range s.Pages {
					versions += len(p.Versions)
					if p.Versions[0].Redirect != "" {
						redirects++
						continue
					}
					pages++
					for _, v := range p.Versions {
						for _, l := range v.Links {
							reached[l] = true
						}
					}
				}
				linked := 0
				for _, p := range s.Pages {
					if reached[p.URL] {
						linked++
					}
				}
				t.Logf("%s: %d pages, %d redirects, %d versions, %d of the addresses linked",
					s.Name, pages, redirects, versions, linked)
				if pages < 200 || linked < pages/2 {
					t.Errorf("%s: too few pages (%d) or links (%d)", s.Name, pages, linked)
				}
				top := s.Page("http://" + s.Name + "/")
				if top == nil || !top.At(s.T0).Alive() {
					t.Errorf("%s has no top page", s.Name)
				}
			}
		})
	}
}

func TestLoadSites(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("a.example.jsonl", `{"path":"/index.html","t":100,"type":"text/html","body":"<a href=https://a.example/x>x</a> https://a.example.org"}
{"path":"/x.html","t":100,"type":"text/html","body_base64":"/w=="}
{"path":"/x.html","t":200,"gone":true}
`)
	web, err := LoadSites(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(web.Resource("a.example", "/",
		time.Unix(150, 0)).Body); got != "<a href=http://a.example/x>x</a> https://a.example.org" {
		t.Errorf("body %q", got)
	}
	if r := web.Resource("a.example", "/x.html", time.Unix(199, 0)); string(r.Body) != "\xff" ||
		r.LastModified.Unix() != 100 {
		t.Errorf("got %v", r)
	}
	for _, at := range []int64{99, 200} {
		if r := web.Resource("a.example", "/x.html", time.Unix(at, 0)); r.Status != 404 {
			t.Errorf("at %d: %v", at, r)
		}
	}
	for text, want := range map[string]string{
		"":                      "the file is empty",
		"{":                     ":1: line is no version",
		`{"path":"x","t":1}`:    `:1: path is "x"`,
		`{"path":"/x/","t":1}`:  `want a file, such as /x/index.html`,
		`{"path":"/x"}`:         ":1: t is missing",
		`{"path":"/x","t":1}`:   ":1: type is missing",
		`{"path":"/x","t":1.5}`: ":1: line is no version",
		`{"path":"/x","t":1,"type":"a","body":"","body_base64":""}`: ":1: there are both",
		`{"path":"/x","t":1,"type":"a","body_base64":"*"}`:          ":1: line is no version",
		`{"path":"/x","t":1,"type":"a"}`:                            ":1: body is missing",
		`{"path":"/x","t":2,"gone":true}` + "\n" +
			`{"path":"/x","t":1,"gone":true}`: ":2: t goes backwards",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff": "truncated",
	} {
		path := write("bad.jsonl", text)
		_, err := LoadSites(path)
		var e *history.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := LoadSites(t.TempDir()); err == nil {
		t.Error("an empty directory is no error")
	}
}
