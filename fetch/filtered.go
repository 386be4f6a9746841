package fetch

import (
	"context"
	"fmt"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/sitegraph"
)

// filtered lets the filters of the user judge a page that was fetched. One that they reject is
// excluded. Its links are told where the filter lets them be followed, and its digests, by which it
// can be known again. judged is false where a filter failed: the next visit must see the content.
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
		o.Sources = o.Sources[:len(o.Sources)-len(page.Sources)] // those of the server stay
	}
	return true
}

// Judged is what filters are told of a page.
func Judged(url string, page *extract.Page) *filter.Page {
	return &filter.Page{URL: url, Title: page.Seen.Title, Text: page.Seen.Text,
		Language:        page.Seen.Language,
		ContentLanguage: page.Seen.ContentLanguage, Links: page.Links}
}
