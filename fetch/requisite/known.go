package requisite

import (
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// fact is what is known of a requisite. Keeper.know makes it from the index of the archive when it
// is not in memory.
type fact struct {
	held  bool          // the archive has a capture
	once  bool          // and need not have another
	due   time.Time     // zero: at once
	every time.Duration // from the last capture to due
	shows []string      // by a style sheet, or the target of a redirect
}

// isDue reports whether it is to be asked for.
func (f *fact) isDue(now time.Time) bool { return !f.once && !f.due.After(now) }

// mostFacts bounds what is in memory, in octets, about.
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

// unkept is an address of which the last request brought nothing that is kept: forbidden, without
// an answer, or noarchive. What the archive has says nothing of it.
type unkept struct {
	URL   string        `json:"url"`
	Due   time.Time     `json:"due,omitzero"` // zero: it is unkept no more
	Every time.Duration `json:"every,omitempty"`
	Held  bool          `json:"held,omitempty"` // another request is a check
}

const (
	// mostUnkept bounds these addresses. Beyond it remember drops some, in no order.
	mostUnkept = 1 << 14
	// longestUnkept is the longest time after which such an address is due.
	longestUnkept = 30 * day
	// unkeptFor is how long after that it is remembered.
	unkeptFor = 90 * day
)

// remember takes over what a line says of an address.
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

// dismiss notes a fact of which nothing is kept. It is due after a time, and after twice as long
// each time. The lock is held.
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

// know returns what is known of an address. The lock is not held.
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

// shows are what an answer leads to: the requisites of a style sheet, or the target of a redirect.
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
