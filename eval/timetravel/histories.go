package timetravel

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/robots"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

// HistoryOptions describe the visitor of a web.
type HistoryOptions struct {
	Agent string // product token, for robots.txt and robots meta elements
	Main  bool   // make Digests.Main, which takes as long as all the rest
}

// Histories returns what a visitor who always requested everything would have seen. Replaying the
// result agrees, visit by visit, with fetching over HTTP from Serve. It has an entry for each path
// of the archive, and each URL on the server that one of its pages links or redirects to. Content
// that is not HTML, missing, or forbidden by robots.txt at the time is no page. A URL that is never
// a page has no entry, and a server without pages is left out. URLs are http. Each body is
// extracted once for each URL that serves it, on all cores.
func Histories(ctx context.Context, web Archive, o HistoryOptions) ([]*history.Server, error) {
	var servers []*history.Server
	for _, name := range web.Servers() {
		h := historian{web: web, name: name, o: o, lists: map[string]string{}}
		s, err := h.server(ctx)
		if err != nil {
			return nil, fmt.Errorf("make the history of %s: %w", name, err)
		}
		if s != nil {
			servers = append(servers, s)
		}
	}
	slices.SortFunc(servers, func(a, b *history.Server) int {
		return strings.Compare(a.Name, b.Name)
	})
	return servers, nil
}

// historian makes the history of one server.
type historian struct {
	web   Archive
	name  string
	o     HistoryOptions
	rules []rulesFrom
	lists map[string]string // URLs, each kept once
}

// rulesFrom is a robots.txt and the time from which it holds.
type rulesFrom struct {
	t     time.Time
	rules *robots.Rules
}

func (h *historian) server(ctx context.Context) (*history.Server, error) {
	h.readRules()
	known := map[string]bool{}
	var round []string
	meet := func(url string) {
		if !known[url] && sitegraph.ServerName(url) == h.name && strings.HasPrefix(url, "http://") {
			known[url] = true
			round = append(round, url)
		}
	}
	for _, path := range h.web.Paths(h.name) {
		url, err := sitegraph.Canonical("http://" + h.name + path)
		if err != nil {
			continue // too long: a link to it leads nowhere either
		}
		meet(url)
	}
	var pages []*history.Page
	for len(round) > 0 { // URLs found on the pages of one round are the next round
		urls := round
		round = nil
		found := make([]*history.Page, len(urls))
		machine.EachOnCores(len(urls), func(i int) {
			if ctx.Err() == nil {
				found[i] = h.page(urls[i])
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, p := range found {
			if len(p.Versions) == 0 {
				continue
			}
			pages = append(pages, p)
			for i := range p.Versions {
				v := &p.Versions[i]
				h.share(v)
				for _, link := range v.Links {
					meet(link)
				}
				meet(v.Redirect)
			}
		}
	}
	if len(pages) == 0 {
		return nil, nil
	}
	slices.SortFunc(pages, func(a, b *history.Page) int {
		return cmp.Or(cmp.Compare(a.Versions[0].T, b.Versions[0].T), strings.Compare(a.URL, b.URL))
	})
	return history.NewServer(h.name, pages[0].Versions[0].T, pages), nil
}

func (h *historian) readRules() {
	for _, t := range h.web.Times(h.name, "/robots.txt") {
		rules := robots.AllowAll()
		if r := h.web.Resource(h.name, "/robots.txt", t); r.Status == http.StatusOK {
			rules = robots.Parse(r.Body, robots.Product(h.o.Agent))
		}
		h.rules = append(h.rules, rulesFrom{t, rules})
	}
}

// allowed reports whether robots.txt at time t permits a path.
func (h *historian) allowed(path string, t time.Time) bool {
	for i := len(h.rules) - 1; i >= 0; i-- {
		if !h.rules[i].t.After(t) {
			return h.rules[i].rules.Allowed(path)
		}
	}
	return true
}

// page returns all versions of a URL, or none if it is never a page or a redirect.
func (h *historian) page(url string) *history.Page {
	p := &history.Page{URL: url}
	path := strings.TrimPrefix(url, "http://"+h.name)
	times := h.web.Times(h.name, path)
	for _, r := range h.rules {
		times = append(times, r.t)
	}
	slices.SortFunc(times, time.Time.Compare)
	seen := map[content]history.Version{} // results of bodies, for this URL
	for _, t := range times {
		v := history.Version{Gone: true}
		if h.allowed(path, t) {
			v = h.version(url, h.web.Resource(h.name, path, t), seen)
		}
		v.T = t.Unix()
		n := len(p.Versions)
		switch {
		case n == 0 && v.Gone:
			continue // it never existed
		case n > 0 && same(&p.Versions[n-1], &v):
			continue
		}
		p.Versions = append(p.Versions, v)
	}
	return p
}

func same(a, b *history.Version) bool {
	return a.Gone == b.Gone && a.Redirect == b.Redirect && a.Digests == b.Digests
}

// content is the input for reading a body; the type may name its charset.
type content struct {
	digest sitegraph.Digest
	kind   string
}

// version returns what a visit sees of a resource, with the outcomes of package fetch.
func (h *historian) version(url string, r Resource,
	seen map[content]history.Version) history.Version {
	switch {
	case r.Status >= 300 && r.Status < 400:
		if resolver, err := sitegraph.NewResolver(url); err == nil {
			if target, ok := resolver.Resolve(r.Location); ok && r.Location != "" && target != url {
				return history.Version{Redirect: target}
			}
		}
		return history.Version{Gone: true}
	case r.Status != http.StatusOK || !extract.IsHTML(r.Type):
		return history.Version{Gone: true}
	}
	digest := r.Digest
	if digest.IsZero() {
		digest = sitegraph.DigestOf(r.Body)
	}
	key := content{digest, r.Type}
	v, ok := seen[key]
	if !ok {
		page := extract.HTML(r.Body, r.Type, url, extract.Options{Agent: h.o.Agent, Main: h.o.Main})
		v = history.Version{
			Digests:     page.Digests,
			Size:        int64(len(r.Body)),
			Links:       page.Links,
			Frames:      page.Frames,
			LinksKnown:  true,
			FramesKnown: true,
		}
		seen[key] = v
	}
	return v
}

// share keeps each URL once: every page of a site repeats its navigation.
func (h *historian) share(v *history.Version) {
	for _, list := range [][]string{v.Links, v.Frames} {
		for i, url := range list {
			one, ok := h.lists[url]
			if !ok {
				one = strings.Clone(url) // it may be a part of a whole page
				h.lists[url] = one
			}
			list[i] = one
		}
	}
}
