package captures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/sitegraph"
)

// named matches the first URL of a sitemap or feed: all others must be on its server.
var named = regexp.MustCompile(
	`(?i)(?:<(?:loc|link)[^>]*>\s*(?:<!\[CDATA\[)?\s*|<link[^>]+href\s*=\s*["']|"(?:home_page_)?url"\s*:\s*")(https?://[^\s<>"'\]]+)`)

// sitemap reads the URLs in a sitemap or feed. It ignores claims of changes, because run reads them
// from the sitemap itself.
func (r *reader) sitemap(ctx context.Context, in *Input) error {
	body, err := io.ReadAll(io.LimitReader(in, feeds.MaxBytes+1))
	if err != nil && len(body) == 0 {
		return err
	}
	base := r.o.Server
	if m := named.FindSubmatch(body); m != nil && base == "" {
		if base, err = sitegraph.Canonical(string(bytes.TrimSpace(m[1]))); err == nil {
			base = sitegraph.Root(base)
		}
	} else if base != "" {
		base, err = serverBase(base)
	}
	if base == "" || err != nil {
		return errors.New("no sitemap, no feed, or none that names an address; if its addresses " +
			"are relative, --server says which server it is of")
	}
	listing, err := feeds.Read(body, "", base+"recrawl-import-of-a-sitemap")
	if errors.Is(err, feeds.ErrNone) {
		return err
	}
	if err != nil {
		r.file.bad(1, err.Error(), nil)
		r.file.EndedHere = err.Error()
	}
	for _, claim := range listing.Claims {
		r.file.Read++
		if listing.Kind == sitegraph.SourceIndex {
			if r.file.NoNews++; len(r.file.Sitemaps) < mostSitemaps {
				r.file.Sitemaps = append(r.file.Sitemaps, claim.URL)
			}
			continue
		}
		if err := r.listed(claim.URL, 0); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(listing.Claims) == 0 {
		return fmt.Errorf("the %v names no page of %s", listing.Kind, base)
	}
	return nil
}
