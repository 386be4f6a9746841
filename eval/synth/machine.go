package synth

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval/timetravel"
)

// feeds gives a server its feed: of its blog, or otherwise, on some servers, of the news of the top
// page.
func (s *server) feeds(rng *rand.Rand) {
	name := "/atom.xml"
	if s.style.rss {
		name = "/rss.xml"
	}
	switch {
	case s.blog != nil:
		s.feed, s.feedOf = name, s.blog.index
	case len(s.top.news) >= 10 && rng.Float64() < 0.5:
		s.feed, s.feedOf = name, s.top
	}
}

// robots never excludes an existing page.
func (s *server) robots() timetravel.Resource {
	var b strings.Builder
	b.WriteString("User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n")
	if s.style.delay > 0 {
		fmt.Fprintf(&b, "Crawl-delay: %d\n", s.style.delay)
	}
	if s.style.sitemap {
		fmt.Fprintf(&b, "\nSitemap: http://%s/sitemap.xml\n", s.name)
	}
	return timetravel.Resource{Status: 200, Type: "text/plain; charset=utf-8",
		Body:         []byte(b.String()),
		LastModified: time.Unix(s.start-1, 0).UTC()}
}

// sitemap lists all living pages with the times of their last changes. One server in four gives the
// day of the request instead.
func (s *server) sitemap(now int32) timetravel.Resource {
	b := []byte(
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset " +
			"xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
	)
	var newest int64
	for _, p := range s.pages {
		v := p.at(now)
		if v < 0 {
			continue
		}
		changed := p.changed(s, v)
		newest = max(newest, changed)
		b = append(b, "<url><loc>http://"...)
		b = append(b, s.name...)
		b = append(b, p.path...)
		b = append(b, "</loc><lastmod>"...)
		if s.style.sitemapLies {
			b = s.time(now).AppendFormat(b, time.DateOnly)
		} else {
			b = time.Unix(changed, 0).UTC().AppendFormat(b, time.RFC3339)
		}
		b = append(b, "</lastmod></url>\n"...)
	}
	b = append(b, "</urlset>\n"...)
	if s.style.sitemapLies {
		newest = s.start + int64(now)
	}
	return timetravel.Resource{
		Status:       200,
		Type:         "application/xml",
		Body:         b,
		LastModified: time.Unix(newest, 0).UTC(),
	}
}

// feedEntries is the most entries of a feed.
const feedEntries = 15

func (s *server) newsFeed(now int32) timetravel.Resource {
	items := s.feedOf.newsAt(now, feedEntries)
	updated := s.start - 1
	if len(items) > 0 {
		updated = s.start + int64(items[0].at)
	}
	r := timetravel.Resource{
		Status:       200,
		Type:         "application/atom+xml",
		LastModified: time.Unix(updated, 0).UTC(),
	}
	format := s.atom
	if s.style.rss {
		r.Type, format = "application/rss+xml", s.rss
	}
	var b strings.Builder
	format(&b, items, r.LastModified)
	r.Body = []byte(b.String())
	return r
}

func (s *server) atom(b *strings.Builder, items []item, updated time.Time) {
	fmt.Fprintf(b, `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>%[1]s</title><id>http://%[1]s/</id><link href="http://%[1]s/"/>
<updated>%[2]s</updated><author><name>%[1]s</name></author>
`, s.name, updated.Format(time.RFC3339))
	for _, it := range items {
		at := s.time(it.at)
		fmt.Fprintf(
			b,
			"<entry><title>%[1]s</title><id>http://%[2]s%[3]s#%[4]d</id><link "+
				"href=\"http://%[2]s%[3]s\"/><updated>%[5]s</updated></entry>\n",
			it.page.title,
			s.name,
			it.page.path,
			at.Unix(),
			at.Format(time.RFC3339),
		)
	}
	b.WriteString("</feed>\n")
}

func (s *server) rss(b *strings.Builder, items []item, updated time.Time) {
	fmt.Fprintf(b, `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel>
<title>%[1]s</title><link>http://%[1]s/</link><description>News of %[1]s</description>
<lastBuildDate>%[2]s</lastBuildDate>
`, s.name, updated.Format(time.RFC1123Z))
	for _, it := range items {
		at := s.time(it.at)
		fmt.Fprintf(
			b,
			"<item><title>%[1]s</title><link>http://%[2]s%[3]s</link><guid "+
				"isPermaLink=\"false\">%[2]s%[3]s#%[4]d</guid><pubDate>%[5]s</pubDate></item>\n",
			it.page.title,
			s.name,
			it.page.path,
			at.Unix(),
			at.Format(time.RFC1123Z),
		)
	}
	b.WriteString("</channel></rss>\n")
}

// newsAt returns the newest n lines of a page's news at a time, newest first.
func (p *page) newsAt(now int32, n int) []item {
	var items []item
	for i := len(p.news) - 1; i >= 0 && len(items) < n; i-- {
		if it := p.news[i]; it.at <= now {
			items = append(items, it)
		}
	}
	return items
}
