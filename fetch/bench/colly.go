package bench

import (
	"crypto/md5"
	"errors"
	"fmt"
	"sync"

	"github.com/gocolly/colly/v2"
)

// fetchColly asks for all pages with colly, resolves their links and computes a digest of each.
func fetchColly(s clientSpec) error {
	c := colly.NewCollector(
		colly.Async(true),
		colly.UserAgent(userAgent),
		colly.MaxBodySize(2_000_000),
	)
	c.IgnoreRobotsTxt = false
	c.WithTransport(s.transport())
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: s.Parallel}); err != nil {
		return fmt.Errorf("set up colly: %w", err)
	}
	var mu sync.Mutex
	var failed error
	digests := make(map[[md5.Size]byte]int)
	links := 0
	c.OnError(func(r *colly.Response, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, fmt.Errorf("get %s: %w", r.Request.URL, err))
	})
	c.OnResponse(func(r *colly.Response) {
		sum := md5.Sum(r.Body)
		mu.Lock()
		defer mu.Unlock()
		digests[sum]++
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		if url := e.Request.AbsoluteURL(e.Attr("href")); url != "" {
			mu.Lock()
			defer mu.Unlock()
			links++
		}
	})
	var refused error
	s.each(func(url string) bool {
		refused = c.Visit(url)
		return refused == nil
	})
	c.Wait()
	if refused != nil {
		return fmt.Errorf("hand a page to colly: %w", refused)
	}
	if want := linksPerPage * s.Servers * s.Pages; failed == nil && links != want {
		return fmt.Errorf("colly found %d links of %d", links, want)
	}
	return failed
}
