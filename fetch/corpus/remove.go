package corpus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph"
)

// ParseRemoval reads the pages to remove: a prefix of URLs, one URL followed by "$", or a server
// (host[:port]) with all its pages. It returns rules for Removes.
func ParseRemoval(text string) ([]string, error) {
	address, exact := strings.CutSuffix(strings.TrimSpace(text), "$")
	if !strings.Contains(address, "://") && !exact {
		url, err := sitegraph.Canonical("http://" + address + "/")
		if err != nil || sitegraph.ServerName(url) != strings.ToLower(address) {
			return nil, fmt.Errorf("%q is neither a server, for example www.example.org, nor a URL, for example "+
				"https://www.example.org/private/", text)
		}
		return []string{url, "https" + strings.TrimPrefix(url, "http")}, nil
	}
	url, err := sitegraph.Canonical(address)
	if err != nil {
		return nil, err
	}
	if exact {
		url += "$"
	}
	return []string{url}, nil
}

// Removes reports whether one of the rules matches a URL, also in the form of an archive.
func Removes(rules []string, url string) bool {
	if canonical, err := sitegraph.Canonical(url); err == nil {
		url = canonical
	}
	return slices.ContainsFunc(rules, func(rule string) bool { return matches(rule, url) })
}

// matches reports whether a rule matches a canonical URL.
func matches(rule, url string) bool {
	if exact, ok := strings.CutSuffix(rule, "$"); ok {
		return url == exact
	}
	return strings.HasPrefix(url, rule)
}

// Removal is the result of Remove.
type Removal struct {
	Rules   []string         `json:"rules"`
	Pages   int              `json:"pages"`             // pages of the corpus, selected or not
	Deleted int              `json:"deleted"`           // identifiers of the index
	Archive *archive.Removed `json:"archive,omitempty"` // nil: not requested
	Never   bool             `json:"never"`             // the planner never visits them again
}

// Remove deletes pages from the corpus for good: rows, documents, and the index. It rewrites the
// containers and units that had parts of them, so that nothing stays on disk. Work that needs the
// archive waits for the next build, for example the selection of a page that was left out as their
// copy. The next removal or build completes an interrupted one.
func (c *Corpus) Remove(ctx context.Context, rules []string) (*Removal, error) {
	b := &build{Corpus: c, result: &Result{LeftOut: map[string]int{}}}
	err := c.halt.Guard(func() error {
		if err := b.forbid(rules); err != nil {
			return err
		}
		return b.stages(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("remove from corpus %s: %w", c.dir, err)
	}
	return &Removal{Rules: rules, Pages: b.result.Gone, Deleted: b.result.Deleted}, nil
}

// forbid stores the rules, and that their pages must be removed.
func (b *build) forbid(rules []string) error {
	if err := b.resume(); err != nil {
		return err
	}
	b.Settings, b.state.Purge = b.state.Settings, true
	t := b.begin()
	defer t.Close()
	for _, rule := range rules {
		if err := t.Set(key(keyRemoved, rule), nil, nil); err != nil {
			return err
		}
	}
	return b.commit(t, pebble.Sync)
}

// forgetRemoved removes the pages that match rules of removals.
func (b *build) forgetRemoved(ctx context.Context) error {
	rules, err := b.removed()
	if err != nil {
		return err
	}
	for _, rule := range rules {
		if err := b.eachRow(ctx, strings.TrimSuffix(rule, "$"), func(t *tx, url string) error {
			if !matches(rule, url) {
				return nil
			}
			p, err := loadRow(t, url)
			if err != nil || p == nil {
				return errors.Join(err, damaged("a row of %s is lost", url))
			}
			return b.forget(t, url, p)
		}); err != nil {
			return err
		}
	}
	return nil
}

// endPurge removes old data from the files of Pebble, which keeps it for a while.
func (b *build) endPurge(ctx context.Context) error {
	if err := b.db.Flush(); err != nil {
		return err
	}
	if err := b.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		return err
	}
	// Pebble keeps old logs to overwrite them, until it is opened anew.
	if err := b.db.Close(); err != nil {
		return b.halt.Fail(err)
	}
	if err := b.openPages(); err != nil {
		return b.halt.Fail(err)
	}
	b.state.Purge = false
	t := b.begin()
	defer t.Close()
	return b.commit(t, pebble.Sync)
}
