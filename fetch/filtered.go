package fetch

import (
	"context"
	"fmt"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/sitegraph"
)

// filtered lets the user's filters judge a fetched page. A page that they reject is excluded. Its
// links are returned if the filter lets the crawl follow them, and its digests, by which the page
// is known again. judged is false if a filter failed: then the next visit must read the content
// again.
func (c *Client) filtered(ctx context.Context, o *sitegraph.Observation, page *extract.Page) (
	judged bool) {
	if c.o.Filters == nil || page.Seen == nil {
		return true
	}
	ruling, err := c.o.Filters.Judge(ctx, Judged(o.URL, page))
	switch {
	case err != nil:
		failed(o, printable(err.Error()))
		return false
	case ruling.Filter == "":
		return !ruling.Unsure
	}
	o.Outcome, o.Filter = sitegraph.OutcomeExcluded, ruling.Filter
	o.Detail = fmt.Sprintf("filter %s: %s", ruling.Filter, ruling.Why)
	o.Canonical = ""
	if !ruling.Follow {
		o.Links, o.Frames = nil, nil
		o.Sources = o.Sources[:len(o.Sources)-len(page.Sources)] // sources of the server stay
	}
	return true
}

// Judged returns the properties of a page that filters judge.
func Judged(url string, page *extract.Page) *filter.Page {
	return &filter.Page{URL: url, Title: page.Seen.Title, Text: page.Seen.Text,
		Language:        page.Seen.Language,
		ContentLanguage: page.Seen.ContentLanguage, Links: page.Links}
}
