package fetch

import (
	"context"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// reread computes the digest of a copy by the current rule, if the record has one by another rule
// or none. It needs the body of the copy, which an archive may have. So a new rule neither misses
// nor invents a change. Zero means that the digest of the record is right, or that the body was not
// kept.
func (c *Client) reread(ctx context.Context, rec *sitegraph.Record, rule *extract.Rule) (
	main sitegraph.Digest) {
	wanted := rule != nil || c.o.Main
	right := rule.Made(rec.Digests.Main) && !rec.Digests.Main.IsZero()
	wire := wireOf(ctx)
	if !wanted || right || wire == nil || wire.Copy == nil || rec.Digests.Bytes.IsZero() {
		return main
	}
	body, contentType, ok := wire.Copy(rec.Digests.Bytes, c.o.MaxBody)
	if !ok {
		return main
	}
	content, err := c.o.Read(ctx, Reading{URL: rec.URL, ContentType: contentType, Body: body,
		Forms: c.formsOf(rec.URL, contentType),
		Page:  extract.Options{Agent: c.agent, Main: c.o.Main, Rule: rule}})
	if err != nil {
		return main
	}
	return content.Page.Digests.Main
}
