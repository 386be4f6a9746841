package feeds

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// dataDir has feeds and sitemaps of other projects and of this one, with their meanings.
const dataDir = "../../../shared/data"

type expected struct {
	Cases []struct {
		File, URL, Base string
		Kind            *string
		Optional        bool
		URLs, Sitemaps  []expectedEntry
		Items           []expectedEntry
		First           *expectedEntry `json:"first_item"`
		MinURLs         int            `json:"min_urls"`
	}
	Dates []struct {
		Form, Input string
		UTC         *time.Time
		Optional    bool
	}
}

type expectedEntry struct {
	Loc, Link                   string
	Lastmod, Updated, Published *time.Time
	Changefreq, Note            string
}

func load(t *testing.T, folder string) (e expected) {
	data, err := os.ReadFile(filepath.Join(dataDir, folder, "expected.json"))
	if err != nil {
		t.Skipf("no data: %v", err)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// readOtherwise are values that this package intentionally reads differently from the suite.
var readOtherwise = map[string]string{
	"fp_atom_entry_updated_multiple_values.xml": "of several dates the latest counts, not the first",
	"http://www.example.com/article_5":          "a date without a zone is taken for UTC",
	"2003-012-31T10:14:55+00:00":                "a month has two digits",
}

// same reports whether a claim is the expected one. A start of a day means its end, and of two
// dates the later counts.
func (e *expectedEntry) same(c sitegraph.Claim) bool {
	var want time.Time
	for _, t := range []*time.Time{e.Lastmod, e.Updated, e.Published} {
		if t != nil && latest(*t).After(want) {
			want = latest(*t)
		}
	}
	return c.Modified.Equal(want) && c.Every == frequencies[e.Changefreq]
}

func TestSitemapsOfOthers(t *testing.T) {
	for _, c := range load(t, "sitemaps").Cases {
		t.Run(c.File, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(dataDir, "sitemaps", c.File))
			if err != nil {
				t.Fatal(err)
			}
			url := c.URL
			want := c.URLs
			if c.Kind != nil && *c.Kind == "index" {
				want = c.Sitemaps
			}
			if len(want) > 0 { // some are stored apart from their server
				if r, err := sitegraph.NewResolver(want[0].Loc); err == nil &&
					sitegraph.ServerName(want[0].Loc) != sitegraph.ServerName(url) {
					url, _ = r.Resolve("/elsewhere.xml")
				}
			}
			l, err := Read(body, "", url)
			if c.Kind == nil {
				if !errors.Is(err, ErrNone) {
					t.Errorf("%v, %v", l.Kind, err)
				}
				return
			}
			kinds := map[string]sitegraph.SourceKind{"urlset": sitegraph.SourceSitemap,
				"text": sitegraph.SourceSitemap, "index": sitegraph.SourceIndex}
			if l.Kind != kinds[*c.Kind] {
				t.Errorf("kind %v, want %v (%v)", l.Kind, *c.Kind, err)
			}
			if c.MinURLs > 0 {
				if len(l.Claims) < c.MinURLs || err == nil {
					t.Errorf("%d claims, %v; want at least %d and an error",
						len(l.Claims), err, c.MinURLs)
				}
				return
			}
			compare(t, l.Claims, want, c.Optional)
		})
	}
}

func compare(t *testing.T, claims []sitegraph.Claim, want []expectedEntry, optional bool) {
	t.Helper()
	here := ""
	if len(want) > 0 {
		here = sitegraph.ServerName(want[0].Loc + want[0].Link)
	}
	have := map[string]sitegraph.Claim{}
	for _, c := range claims {
		have[c.URL] = c
	}
	found := 0
	for _, w := range want {
		url, err := sitegraph.Canonical(w.Loc + w.Link)
		if err != nil || sitegraph.ServerName(url) != here { // of others: ignored
			continue
		}
		c, ok := have[url]
		if ok {
			found++
		}
		if (!ok || !w.same(c)) && w.Note == "" && !optional && readOtherwise[url] == "" {
			t.Errorf("%s: have %+v (%v), want %+v", url, c, ok, w)
		}
	}
	if found != len(claims) && !optional {
		t.Errorf("%d claims, of which %d were expected: %.300v", len(claims), found, claims)
	}
}

func TestFeedsOfOthers(t *testing.T) {
	for _, c := range load(t, "feeds").Cases {
		t.Run(c.File, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(dataDir, "feeds", c.File))
			if err != nil {
				t.Fatal(err)
			}
			want := c.Items
			if c.First != nil {
				want = []expectedEntry{*c.First}
			}
			url := c.Base
			if len(want) > 0 && want[0].Link != "" {
				at, err := sitegraph.Canonical(want[0].Link)
				if err != nil {
					t.Fatal(err)
				}
				if url == "" || sitegraph.ServerName(at) != sitegraph.ServerName(url) {
					url = "http://" + sitegraph.ServerName(at) + "/the.feed"
				}
			} else if url == "" {
				url = "http://example.com/the.feed"
			}
			if len(want) == 1 && want[0].Link == "" { // a date without a URL: add one
				body = withLink(body, url)
			}
			l, err := Read(body, "", url)
			switch {
			case c.Kind == nil && c.First == nil && c.Items == nil || c.Kind != nil &&
				*c.Kind == "json":
				if !errors.Is(err, ErrNone) {
					t.Errorf("%v", err)
				}
				return
			case l.Kind != sitegraph.SourceFeed:
				t.Fatalf("%v, %v", l, err)
			}
			if c.First == nil {
				compare(t, l.Claims, c.Items, len(c.Items) == 0)
				return
			}
			if len(l.Claims) == 0 {
				t.Fatalf("no claims: %v", err)
			}
			if c.First.Link == "" {
				if !c.First.same(l.Claims[0]) && readOtherwise[c.File] == "" {
					t.Errorf("have %+v, want %+v", l.Claims[0], *c.First)
				}
				return
			}
			if at, _ := sitegraph.Canonical(c.First.Link); at != l.Claims[0].URL {
				t.Errorf("have %v, want %s", l.Claims[0], at)
			}
		})
	}
}

func TestDatesOfOthers(t *testing.T) {
	for _, d := range load(t, "feeds").Dates {
		have, ok := parseDate(d.Input)
		if d.Optional || readOtherwise[d.Input] != "" {
			continue
		}
		if ok != (d.UTC != nil) || ok && !have.Equal(*d.UTC) {
			t.Errorf("%s %q is %v (%v), want %v", d.Form, d.Input, have, ok, d.UTC)
		}
	}
}

// withLink gives the first entry a URL.
func withLink(body []byte, url string) []byte {
	for _, tag := range []string{"<item>", "<entry>"} {
		if i := indexOf(body, tag); i >= 0 {
			return fmt.Appendf(nil, "%s<link href='%s1'/>%s", body[:i], url, body[i:])
		}
	}
	return body
}

func indexOf(body []byte, tag string) int {
	for i := range body {
		if len(body)-i >= len(tag) && string(body[i:i+len(tag)]) == tag {
			return i + len(tag)
		}
	}
	return -1
}
