package corpus

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/sitegraph"
)

// WeighSettings configure Weigh.
type WeighSettings struct {
	By      string   // results, trust, servers or plain
	Queries string   // file of searches, one a line; "": random ones
	Draw    int      // number of random searches
	Seeds   []string // servers or URLs as seeds of trust
}

// Weighed has the weights of the pages of a corpus, in the form of preferences.ReadListed.
type Weighed struct {
	By       string       `json:"by"`
	Searches int          `json:"searches"` // 0: not by results
	Seeds    int          `json:"seeds"`    // seeds of trust
	Pages    []PageWeight `json:"pages"`    // the greatest first
}

// PageWeight is the weight of a page; the mean over the corpus is 1.
type PageWeight struct {
	URL    string  `json:"url"`
	Weight float64 `json:"weight"`
}

// SeedError is the error of a rank of trust without seeds.
type SeedError struct{ error }

// Hint returns what to do.
func (*SeedError) Hint() string {
	return "name servers that you know and that the corpus has: recrawl corpus weigh --by trust " +
		"--seeds www.example.org,example.com"
}

// Weigh weighs the pages of the archive. Pages that are not selected have weight 0, because no
// search shows them. The same corpus and seed give the same weights.
func (c *Corpus) Weigh(ctx context.Context, s WeighSettings, seed uint64) (w *Weighed, err error) {
	w = &Weighed{By: s.By, Pages: []PageWeight{}}
	err = c.halt.Guard(func() error {
		if s.By == "results" {
			return c.weighResults(ctx, s, seed, w)
		}
		return c.weighLinks(ctx, s, w)
	})
	if err != nil {
		return nil, fmt.Errorf("weigh the pages of %s: %w", c.dir, err)
	}
	slices.SortFunc(w.Pages, func(a, b PageWeight) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.URL, b.URL))
	})
	return w, nil
}

// weighResults counts how often each page is among the first ten results.
func (c *Corpus) weighResults(ctx context.Context, s WeighSettings, seed uint64, w *Weighed) error {
	searcher, err := index.OpenSearcher(c.dir)
	if err != nil {
		return err
	}
	defer searcher.Close() // it was only read
	counts, shown, pages := map[string]int{}, 0, 0
	search := func(words string) error {
		r, err := searcher.Search(ctx, &query.Query{Words: words})
		if errors.Is(err, query.ErrNoWords) {
			return nil
		}
		if err != nil {
			return err
		}
		w.Searches++
		pages = r.Pages
		for _, h := range r.Hits {
			counts[h.URL]++
			shown++
		}
		return nil
	}
	if s.Queries != "" {
		err = eachLine(s.Queries, search)
	} else {
		err = c.drawn(s.Draw, rand.New(rand.NewPCG(seed, 0x7365617263686573)), search)
	}
	if err != nil {
		return err
	}
	_, urls, _, err := c.pages(ctx)
	for _, url := range urls {
		w.Pages = append(w.Pages,
			PageWeight{url, float64(counts[url]) * float64(pages) / float64(max(shown, 1))})
	}
	return err
}

func eachLine(path string, yield func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if err := yield(in.Text()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// drawn passes searches for two words of a page's main text to yield. It draws the pages one by
// one.
func (c *Corpus) drawn(some int, rng *rand.Rand, yield func(string) error) error {
	var urls []string // every page with the same probability, by its place in the table
	seen := 0
	if err := each(c.db, []byte{keyIdentifier}, func(_ string, url []byte) (bool, error) {
		if seen++; len(urls) < some {
			urls = append(urls, string(url))
		} else if at := rng.IntN(seen); at < some {
			urls[at] = string(url)
		}
		return true, nil
	}); err != nil || len(urls) == 0 {
		return err
	}
	for range some {
		url := urls[rng.IntN(len(urls))]
		r, err := loadRow(c.db, url)
		if err != nil || r == nil || r.Document == nil {
			return errors.Join(err, damaged("the index has %s, but the corpus has no document of it", url))
		}
		d, err := c.document(r)
		if err != nil {
			return err
		}
		var words []index.Word
		for i := range d.Sentences {
			if d.Sentences[i].Place == Main {
				words = append(words, index.Words(d.Sentences[i].Raw)...)
			}
		}
		if len(words) == 0 {
			continue
		}
		if err := yield(words[rng.IntN(len(words))].Term + " " +
			words[rng.IntN(len(words))].Term); err != nil {
			return err
		}
	}
	return nil
}

// weighLinks ranks pages by the links of all pages of the archive, selected or not.
func (c *Corpus) weighLinks(ctx context.Context, s WeighSettings, w *Weighed) error {
	web, urls, selected, err := c.web(ctx)
	if err != nil {
		return err
	}
	var ranks []float64
	switch s.By {
	case "trust":
		var seeds []int32
		for _, text := range s.Seeds {
			rules, err := ParseRemoval(text)
			if err != nil {
				return &SeedError{err}
			}
			for p, url := range urls {
				if !strings.Contains(text, "://") &&
					sitegraph.ServerName(url) == sitegraph.ServerName(rules[0]) ||
					Removes(rules, url) {
					seeds = append(seeds, int32(p))
				}
			}
		}
		slices.Sort(seeds)
		seeds = slices.Compact(seeds)
		if w.Seeds = len(seeds); w.Seeds == 0 {
			return &SeedError{fmt.Errorf("the corpus has no page of the seeds %q", s.Seeds)}
		}
		ranks = web.Trust(seeds)
	case "servers":
		ranks = web.FromServers()
	default:
		ranks = web.Plain()
	}
	sum, pages := 0., 0
	for p := range urls {
		if selected[p] {
			sum += ranks[p]
			pages++
		}
	}
	for p, url := range urls {
		weight := 0.
		if selected[p] && sum > 0 {
			weight = ranks[p] * float64(pages) / sum
		}
		w.Pages = append(w.Pages, PageWeight{url, weight})
	}
	return nil
}

// pages returns all pages of the archive in order of URL: the number of the server, the URL, and
// whether the page is selected.
func (c *Corpus) pages(ctx context.Context) (
	servers []int32, urls []string, selected []bool, err error) {
	numbers := map[string]int32{}
	err = each(c.db, []byte{keyRow}, func(url string, value []byte) (bool, error) {
		var r row
		if err := json.Unmarshal(value, &r); err != nil {
			return false, fmt.Errorf("row of %s: %w", url, err)
		}
		if r.Gone || !r.Judged {
			return true, ctx.Err()
		}
		name := sitegraph.ServerName(url)
		if _, ok := numbers[name]; !ok {
			numbers[name] = int32(len(numbers))
		}
		servers, urls, selected = append(servers, numbers[name]), append(urls, url),
			append(selected, r.Verdict.Rule == "")
		return true, ctx.Err()
	})
	return servers, urls, selected, err
}

// web returns the graph of all pages of the archive, their URLs, and which are selected. It leaves
// out links to unknown pages.
func (c *Corpus) web(ctx context.Context) (
	web *LinkRanks, urls []string, selected []bool, err error) {
	web = &LinkRanks{}
	if web.Servers, urls, selected, err = c.pages(ctx); err != nil {
		return nil, nil, nil, err
	}
	number := make(map[string]int32, len(urls))
	for p, url := range urls {
		number[url] = int32(p)
	}
	web.Links = make([][]int32, len(urls))
	err = each(c.db, []byte{keyOut}, func(url string, value []byte) (bool, error) {
		from, ok := number[url]
		if !ok {
			return true, ctx.Err()
		}
		var links []link
		if err := json.Unmarshal(value, &links); err != nil {
			return false, fmt.Errorf("links of %s: %w", url, err)
		}
		for _, l := range links { // each URL once
			if to, ok := number[l.To]; ok && to != from {
				web.Links[from] = append(web.Links[from], to)
			}
		}
		return true, ctx.Err()
	})
	return web, urls, selected, err
}
