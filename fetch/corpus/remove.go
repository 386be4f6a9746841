package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph"
)

// ParseRemoval reads what is to be removed: the beginning of addresses, one address with "$" behind
// it, or a server, host[:port], of which everything is meant. It returns rules for Removes.
func ParseRemoval(text string) ([]string, error) {
	address, exact := strings.CutSuffix(strings.TrimSpace(text), "$")
	if !strings.Contains(address, "://") && !exact {
		url, err := sitegraph.Canonical("http://" + address + "/")
		if err != nil || sitegraph.ServerName(url) != strings.ToLower(address) {
			return nil, fmt.Errorf("%q is no server, as www.example.org, and no address, as https://www.example.org/private/", text)
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

// Removes reports whether one of some rules means an address, as it is written in an archive, too.
func Removes(rules []string, url string) bool {
	if canonical, err := sitegraph.Canonical(url); err == nil {
		url = canonical
	}
	return slices.ContainsFunc(rules, func(rule string) bool { return matches(rule, url) })
}

// matches reports whether a rule means a canonical address.
func matches(rule, url string) bool {
	if exact, ok := strings.CutSuffix(rule, "$"); ok {
		return url == exact
	}
	return strings.HasPrefix(url, rule)
}

// Removal is what Remove did.
type Removal struct {
	Rules   []string         `json:"rules"`
	Pages   int              `json:"pages"`             // of the corpus, selected or not
	Deleted int              `json:"deleted"`           // identifiers of the index
	Archive *archive.Removed `json:"archive,omitempty"` // nil: it was not asked for
	Never   bool             `json:"never"`             // the planner visits none of them again
}

// Text prints it for people.
func (r *Removal) Text(w io.Writer) error {
	fmt.Fprintf(w, "%d pages are removed from the corpus, %d of them from its index; none is taken in again\n", r.Pages, r.Deleted)
	if r.Archive != nil {
		fmt.Fprintf(w, "%d records of %d bytes are removed from the archive\n", r.Archive.Records, r.Archive.Octets)
	}
	if r.Never {
		fmt.Fprintln(w, "the planner visits none of them again")
	}
	return nil
}

// Remove takes pages out of the corpus for good: rows, documents, and the index. Containers and
// units that had something of them are written anew, so that nothing of it stays on disk. What
// needs the archive, as a page that was left out as a copy of one of them, waits for the next
// build.
func (c *Corpus) Remove(ctx context.Context, rules []string) (*Removal, error) {
	b := &build{Corpus: c, result: &Result{LeftOut: map[string]int{}}, purge: true}
	r := &Removal{Rules: rules}
	err := c.halt.Guard(func() error {
		if err := b.forbid(rules, r); err != nil {
			return err
		}
		if err := b.stages(ctx); err != nil {
			return err
		}
		if err := b.db.Flush(); err != nil {
			return err
		}
		if err := b.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
			return err
		}
		// Pebble keeps old logs to write over them, until it is opened anew.
		if err := c.db.Close(); err != nil {
			return err
		}
		return c.openPages()
	})
	if err != nil {
		return nil, fmt.Errorf("remove from corpus %s: %w", c.dir, err)
	}
	r.Deleted = b.result.Deleted
	return r, nil
}

// forbid notes the rules, and forgets the pages that they mean.
func (b *build) forbid(rules []string, r *Removal) (err error) {
	if b.state, err = b.meta(); err != nil {
		return err
	}
	b.Settings, b.began = b.state.Settings, b.now()
	if err := b.sweep(); err != nil {
		return err
	}
	t := b.begin()
	defer t.Close()
	for _, rule := range rules {
		if err := t.Set(key(keyRemoved, rule), nil, nil); err != nil {
			return err
		}
		var urls []string
		if err := each(b.db, key(keyRow, strings.TrimSuffix(rule, "$")), func(rest string, _ []byte) (bool, error) {
			if url := strings.TrimSuffix(rule, "$") + rest; matches(rule, url) {
				urls = append(urls, url)
			}
			return true, nil
		}); err != nil {
			return err
		}
		for _, url := range urls {
			p, err := loadRow(t, url)
			if err != nil || p == nil {
				return errors.Join(err, damaged("a row of %s is lost", url))
			}
			r.Pages++
			if err := errors.Join(b.forget(t, url, p), t.Delete(key(markRead, url), nil)); err != nil {
				return err
			}
		}
	}
	if err := t.store(key(keyMeta, "state"), b.state); err != nil {
		return err
	}
	return t.Commit(pebble.Sync)
}
