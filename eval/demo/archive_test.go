package demo

import (
	"bytes"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/fetch/archive"
)

// TestDemoArchive checks that the archive has every visit, revisits included, with the content of
// the web at that time, and that archiving changes no visit.
func TestDemoArchive(t *testing.T) {
	t.Parallel()
	t.Run("built-in web", func(t *testing.T) { checkArchive(t, builtIn()) })
	t.Run("recorded site", func(t *testing.T) {
		checkArchive(t, recordedSites(t, "devrel.jp.jsonl.gz"))
	})
}

func checkArchive(t *testing.T, web timetravel.Archive) {
	tr := newTraveller(t, web)
	dir := filepath.Join(t.TempDir(), "kept")
	p := plan{policy: "sites", stream: eval.StreamOptions{Weeks: 4, Budget: 0.1, New: 0.25,
		Seed: 1}}
	if Occupied("", dir) != "" {
		t.Errorf("%s is there already", dir)
	}
	tr.archive = dir
	journey, _ := tr.both(p)
	if Occupied("", dir) != dir {
		t.Errorf("%s is free", dir)
	}
	r, err := archive.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pages, revisits, notModified := 0, 0, 0
	if err := r.Each(func(c *archive.Capture) error {
		u, err := url.Parse(c.URL)
		if err != nil {
			return err
		}
		if u.Path != "/robots.txt" {
			pages++
		}
		if c.MIME == archive.Revisit {
			revisits++
		}
		if c.Status == "304" {
			notModified++
		}
		a, err := r.Answer(c)
		if err != nil {
			return err
		}
		served, err := http.ParseTime(a.Get("Date"))
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if c.Status != "200" && c.Status != "304" {
			return nil
		}
		got, err := a.Text(16 << 20)
		if err != nil {
			return err
		}
		if want := web.Resource(u.Host, u.RequestURI(), served); !bytes.Equal(got, want.Body) {
			t.Errorf("%s at %v: archived are %d octets, served were %d",
				c.URL, served, len(got), len(want.Body))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if visits := len(journey.crawl) + len(journey.weeks); pages != visits {
		t.Errorf("%d captures of pages, %d visits", pages, visits)
	}
	if notModified == 0 || revisits < notModified {
		t.Errorf("%d revisits, %d of them by the server's word", revisits, notModified)
	}
}
