package bench

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// clientSpec configures a client process.
type clientSpec struct {
	Kind     string `json:"kind"`
	Servers  int    `json:"servers"`
	Pages    int    `json:"pages"` // of each
	Port     uint16 `json:"port"`
	Parallel int    `json:"parallel"`
}

// transport returns the transport of a carefully written crawler.
func (s clientSpec) transport() *http.Transport {
	return &http.Transport{
		MaxIdleConns: s.Servers, MaxIdleConnsPerHost: 2, DisableCompression: true,
		DisableKeepAlives: s.Kind == RawNew,
	}
}

// each passes the URL of each page to yield, the servers in turn.
func (s clientSpec) each(yield func(url string) bool) {
	for page := range s.Pages {
		for server := range s.Servers {
			if !yield(urlOf(server, page, s.Port)) {
				return
			}
		}
	}
}

// fetchRaw asks for all pages with net/http alone, and drops them.
func fetchRaw(s clientSpec) error {
	client := &http.Client{Transport: s.transport()}
	urls := make(chan string)
	failed := make(chan error, s.Parallel)
	var all sync.WaitGroup
	for range s.Parallel {
		all.Go(func() {
			for url := range urls {
				if err := fetchOne(client, url); err != nil {
					failed <- err
					for range urls { // nobody is left waiting
					}
					return
				}
			}
		})
	}
	s.each(func(url string) bool { urls <- url; return true })
	close(urls)
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func fetchOne(client *http.Client, url string) error {
	r, err := client.Get(url)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, r.Status)
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err
}
