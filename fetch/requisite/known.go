package requisite

import (
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// fact is the state of a requisite. Keeper.know makes it from the index of the archive if it is not
// in memory.
type fact struct {
	held  bool          // the archive has a capture
	once  bool          // and needs no other
	due   time.Time     // zero: at once
	every time.Duration // from the last capture to due
	shows []string      // requisites of a style sheet, or the target of a redirect
}

// isDue reports whether to ask for the requisite.
func (f *fact) isDue(now time.Time) bool { return !f.once && !f.due.After(now) }

// mostFacts limits the facts in memory to about this many octets.
const mostFacts = 32 << 20

// facts is a cache. When it is full, put drops facts in no order.
type facts struct {
	of     map[string]*fact
	octets int
}

func size(url string, f *fact) int {
	n := len(url) + 200
	for _, u := range f.shows {
		n += len(u) + 16
	}
	return n
}

func (c *facts) put(url string, f *fact) {
	if old := c.of[url]; old != nil {
		c.octets -= size(url, old)
	}
	c.of[url] = f
	c.octets += size(url, f)
	for other, f := range c.of {
		if c.octets <= mostFacts {
			return
		}
		if other != url {
			c.octets -= size(other, f)
			delete(c.of, other)
		}
	}
}

// unkept is a URL whose last request brought nothing to keep: it was forbidden, had no answer, or
// said noarchive. The archive does not show that.
type unkept struct {
	URL   string        `json:"url"`
	Due   time.Time     `json:"due,omitzero"` // zero: no longer unkept
	Every time.Duration `json:"every,omitempty"`
	Held  bool          `json:"held,omitempty"` // another request is a check
}

const (
	// mostUnkept limits these URLs. Beyond it remember drops some, in no order.
	mostUnkept = 1 << 14
	// longestUnkept limits the interval of such a URL.
	longestUnkept = 30 * day
	// unkeptFor is how long after that it is remembered.
	unkeptFor = 90 * day
)

// remember takes over the entry of a URL from a line.
func (k *Keeper) remember(u *unkept) {
	switch {
	case u == nil:
	case u.Due.IsZero():
		delete(k.unkept, u.URL)
	default:
		k.unkept[u.URL] = u
		for other := range k.unkept {
			if len(k.unkept) <= mostUnkept {
				break
			}
			if other != u.URL {
				delete(k.unkept, other)
			}
		}
	}
}

// dismiss notes a requisite that is not kept. It is due after an interval, which doubles each time.
// The caller holds the lock.
func (k *Keeper) dismiss(i *item, f *fact, now time.Time, every time.Duration) {
	if before := k.unkept[i.URL]; before != nil {
		every = min(max(every, 2*before.Every), longestUnkept)
	}
	u := &unkept{i.URL, now.Add(every), every, f.held}
	f.due, f.every = u.Due, u.Every
	k.remember(u)
	k.lines = append(k.lines, line{Unkept: u})
	k.facts.put(i.URL, f)
	k.done(i)
}

// know returns the state of a URL. The caller does not hold the lock.
func (k *Keeper) know(url string) (*fact, error) {
	k.mu.Lock()
	f := k.facts.of[url]
	if u := k.unkept[url]; f == nil && u != nil {
		f = &fact{held: u.Held, due: u.Due, every: u.Every}
	}
	k.mu.Unlock()
	if f != nil {
		return f, nil
	}
	h, err := k.Archive.Held(url)
	if err != nil {
		return nil, err
	}
	f = &fact{}
	if !h.Checked.IsZero() {
		due := Due(url, h)
		f = &fact{held: true, once: due.IsZero(), due: due, every: due.Sub(h.Checked)}
		if isStyle(url, h.MIME) ||
			strings.HasPrefix(h.Status, "3") && h.Status != "304" {
			if answer, body, ok := k.Archive.Answer(h, MostBytes); ok {
				f.shows = shows(url, answer.Status, answer.Get, body)
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.facts.of[url]; now != nil {
		return now, nil // it was asked for meanwhile
	}
	k.facts.put(url, f)
	return f, nil
}

// shows returns the URLs that an answer leads to: requisites of a style sheet, or the target of a
// redirect.
func shows(url string, status int, header func(string) string, body []byte) []string {
	switch {
	case status >= 300 && status < 400:
		if r, err := sitegraph.NewResolver(url); err == nil {
			if to, ok := r.Resolve(header("Location")); ok && to != url &&
				len(to) <= extract.MaxAddress {
				return []string{strings.Clone(to)}
			}
		}
	case status < 200 || status > 299:
	case isStyle(url, header("Content-Type")):
		return extract.StyleRequisites(body, url)
	}
	return nil
}

func isStyle(url, contentType string) bool {
	kind := extract.MediaType(contentType)
	return kind == "text/css" || kind == "" && archive.Ending(url) == ".css"
}
