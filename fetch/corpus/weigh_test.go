package corpus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestWeigh checks that a farm of any size has the trust of one link to it, that results weigh
// pages by their frequency, and that the planner reads the list.
func TestWeigh(t *testing.T) {
	share := func(w *Weighed) float64 {
		farm, all := 0., 0.
		for _, p := range w.Pages {
			if all += p.Weight; strings.HasPrefix(p.URL, "http://farm.example/") {
				farm += p.Weight
			}
		}
		return farm / all
	}
	shares := map[string][]float64{}
	for _, size := range []int{5, 50} {
		w := newWeb(t, 1)
		page := func(url, text string, links ...string) {
			body := "<title>x</title><main><p>" + text + "</p>"
			for _, to := range links {
				body += fmt.Sprintf(`<a href="%s">to it</a> `, to)
			}
			w.page(url, body+"</main>")
		}
		for i := range 20 {
			links := []string{"/p0", fmt.Sprintf("/p%d", (i+1)%20), fmt.Sprintf("/p%d", (i*7+3)%20)}
			if i == 4 {
				links = append(links, "http://farm.example/p0")
			}
			page(fmt.Sprintf("http://a.example/p%d", i), w.text(uint64(i), 90), links...)
		}
		for i := range size {
			page(fmt.Sprintf("http://farm.example/p%d", i), w.text(uint64(100+i), 90), "/p0",
				fmt.Sprintf("/p%d", (i+1)%size))
		}
		if err := w.archive.Sync(); err != nil {
			t.Fatal(err)
		}
		c := openTest(t, vfs.NewMem(), t.TempDir())
		o := options()
		o.Quota, o.MaxText, o.Near = 0, 0, -1
		if _, err := w.build(c, o); err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"plain", "trust"} {
			got, err := c.Weigh(context.Background(),
				WeighSettings{By: by, Seeds: []string{"http://a.example/p0$"}}, 1)
			if err != nil || len(got.Pages) != 20+size {
				t.Fatal(len(got.Pages), err)
			}
			shares[by] = append(shares[by], share(got))
		}
		if size == 5 {
			testResults(t, c)
		}
		closed(t, c)
	}
	t.Logf("share of all weight that farms of 5 and 50 pages have: %v", shares)
	if plain, trust := shares["plain"], shares["trust"]; plain[1] < 2*plain[0] || trust[0] == 0 ||
		trust[1] > 1.01*trust[0] || trust[1] < 0.99*trust[0] {
		t.Errorf("%v", shares)
	}
}

func testResults(t *testing.T, c *Corpus) {
	queries := filepath.Join(t.TempDir(), "queries")
	p, err := c.Page("http://a.example/p7")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(p.Document.Sentences[0].Raw)
	text := strings.TrimRight(words[0]+" "+words[1]+" "+words[2], ".")
	if err := os.WriteFile(queries, []byte(text+"\n-\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown, err := c.Weigh(context.Background(), WeighSettings{By: "results", Queries: queries}, 1)
	if err != nil || shown.Searches != 1 || len(shown.Pages) != 25 ||
		shown.Pages[0] != (PageWeight{"http://a.example/p7", 25}) || shown.Pages[1].Weight != 0 {
		t.Errorf("%q: %+v, %v", text, shown, err)
	}
	one, err := c.Weigh(context.Background(), WeighSettings{By: "results", Draw: 30}, 2)
	if err != nil || one.Searches == 0 {
		t.Fatal(one, err)
	}
	again, err := c.Weigh(context.Background(), WeighSettings{By: "results", Draw: 30}, 2)
	if err != nil || !slices.Equal(one.Pages, again.Pages) {
		t.Error("the same seed gives other weights", err)
	}
	servers, err := c.Weigh(context.Background(), WeighSettings{By: "servers"}, 1)
	linked := map[string]float64{}
	for _, p := range servers.Pages {
		if p.Weight > 0 {
			linked[p.URL] = p.Weight
		}
	}
	if want := map[string]float64{"http://farm.example/p0": 25}; err != nil ||
		!maps.Equal(linked, want) {
		t.Errorf("linked from other servers: %v, %v", linked, err)
	}
	var none *SeedError
	if _, err := c.Weigh(context.Background(),
		WeighSettings{By: "trust", Seeds: []string{"nowhere.example"}}, 1); !errors.As(err, &none) {
		t.Error(err)
	}
}
