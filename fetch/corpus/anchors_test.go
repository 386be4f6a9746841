package corpus

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/query"
)

var ofCorpus = flag.String("corpus", "", "directory of a corpus that TestAnchors measures")

// known measures the search for pages by their titles.
type known struct{ found, ten, first, reciprocal float64 }

func (k *known) see(r *query.Results, url string) {
	at := slices.IndexFunc(r.Hits, func(h query.Hit) bool { return h.URL == url })
	if at < 0 {
		return
	}
	k.found++
	k.reciprocal += 1 / float64(at+1)
	if at < 10 {
		k.ten++
	}
	if at == 0 {
		k.first++
	}
}

// TestAnchors measures the gain by link texts over main texts alone. It searches pages by their
// unique titles, which are not in the index.
//
//	go test ./fetch/corpus -run Anchors -v -args -corpus DIRECTORY
func TestAnchors(t *testing.T) {
	dir := *ofCorpus
	if dir == "" {
		dir = linkedPages(t)
	}
	c, err := Open(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, c)
	s, err := index.OpenSearcher(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	titles, linked := map[string][]string{}, 0
	eachIndexed(t, c, func(r *row, d *Document) {
		p := pageOf(0, r, d)
		if len(p.Anchors) > 0 {
			linked++
		}
		if p.Title != "" {
			titles[p.Title] = append(titles[p.Title], p.URL)
		}
	})
	ways := [][]string{{"body"}, {"anchor"}, {"body", "anchor"}, {"title", "body"},
		{"title", "body", "anchor"}}
	results, asked, grown, changed := make([]known, len(ways)), 0., 0., 0.
	for title, urls := range titles {
		if len(urls) > 1 {
			continue
		}
		var all []*query.Results
		words := strings.NewReplacer(`"`, " ", "-", " ").Replace(title)
		for i, in := range ways {
			r, err := s.Search(context.Background(), &query.Query{Words: words, In: in, Most: 100})
			if err != nil {
				break // a title without words
			}
			results[i].see(r, urls[0])
			all = append(all, r)
		}
		if len(all) < len(ways) {
			continue
		}
		asked++
		if all[4].Total > all[3].Total {
			grown++
		}
		if !slices.Equal(tops(all[3]), tops(all[4])) {
			changed++
		}
	}
	if asked == 0 {
		t.Fatal("no page has a title of its own")
	}
	t.Logf("%g pages with a title of their own; %d of %d pages have a link with text",
		asked, linked, living(t, c))
	for i, in := range ways {
		k := results[i]
		t.Logf("%-18s %5.1f %% found, %5.1f %% in the first ten, %5.1f %% first, mean reciprocal "+
			"rank %.3f", strings.Join(in, " + "),
			100*k.found/asked, 100*k.ten/asked, 100*k.first/asked, k.reciprocal/asked)
	}
	t.Logf("link texts add pages to the results of %.1f %% of the searches, and change the first "+
		"ten of %.1f %%", 100*grown/asked, 100*changed/asked)
	if body, both := results[0], results[2]; both.found < body.found || *ofCorpus == "" &&
		both.first <= body.first {
		t.Errorf("main text: %+v, with link texts %+v", body, both)
	}
}

func tops(r *query.Results) (urls []string) {
	for _, h := range r.Hits[:min(10, len(r.Hits))] {
		urls = append(urls, h.URL)
	}
	return urls
}

// linkedPages makes a corpus of pages that do not contain their names, while links to them do.
func linkedPages(t *testing.T) (dir string) {
	w := newWeb(t, 3)
	names := []string{"spring flood", "river guide", "boat yard", "quay plan"}
	var links strings.Builder
	for i, name := range names {
		fmt.Fprintf(&links, `<a href="/p%d">%s</a> `, i, name)
		w.page(fmt.Sprintf("http://a.example/p%d", i),
			fmt.Sprintf("<title>%s</title><main><p>%s</p></main>", name, w.text(uint64(i), 90)))
	}
	w.page("http://b.example/", "<title>all</title><main><p>"+w.text(50, 90)+
		strings.ReplaceAll(links.String(), "/p", "http://a.example/p")+"</p></main>")
	if err := w.archive.Sync(); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	c := openTest(t, vfs.Default, dir)
	defer closed(t, c)
	o := options()
	o.Quota, o.MaxText = 0, 0
	if _, err := w.build(c, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

func living(t *testing.T, c *Corpus) int {
	r, err := c.registration()
	if err != nil {
		t.Fatal(err)
	}
	return r.Set.Living()
}
