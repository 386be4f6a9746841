package fetch

import (
	"container/list"
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// Some servers answer 200 for a missing page (a soft 404). The page alone does not prove that. So
// the client asks the server for a URL in the directory of a suspected page that cannot exist.
// Pages with the same answer count as gone (Bar-Yossef et al., "Sic transit gloria telae", 2004). A
// hidden page is worse than a kept missing one, so all signs must agree.
//
// A page is suspected if its title or heading says that it is missing, or if two other recent pages
// have the same text. It is gone if it resembles the answer for the impossible URL (sameAs,
// aboutAs), has the same title, and
//
//   - says in its title or heading that it is missing, or
//   - had a copy with another text, so that the server can tell pages apart.
//
// The root, index pages and pages with few words are never judged: pages that scripts fill all look
// alike.

const (
	// sameAs is the least resemblance of texts that differ in a date or an advertisement. aboutAs
	// is that of pages which also say that they are missing, perhaps with a time and a number.
	sameAs, aboutAs = 0.9, 0.8
	// fewWords is the least number of words of a text that is compared.
	fewWords = 5
	// probeFresh is how long the answer to a probe is valid.
	probeFresh = 7 * 24 * time.Hour
	// probePause and probeEvery limit the probes of a server: one an hour, and one per probeEvery
	// visits, which makes at most 5 % of them.
	probePause = time.Hour
	probeEvery = 20
	// mostProbes limits the directories of a server with a remembered answer, mostSuspects the
	// servers. Each probe takes about 700 octets.
	mostProbes   = 8
	mostSuspects = 10_000
	// recentTexts is the number of texts remembered for each server. A text that equalTexts pages
	// show is suspicious.
	recentTexts = 8
	equalTexts  = 3
)

// probe is the answer of a server for a URL that cannot exist.
type probe struct {
	dir    string
	at     time.Time
	sketch *extract.Sketch // nil: the server reported the page as missing
}

// suspect holds recent texts and probes of one server.
type suspect struct {
	server string // scheme and authority
	texts  [recentTexts]recentText
	next   int // the text that is overwritten next
	probes []probe

	wanted string    // impossible URL to ask for; "": none
	asked  time.Time // the last probe; zero: none
	visits int       // visits since then
}

type recentText struct {
	digest sitegraph.Digest
	urls   [equalTexts]uint64 // hashes of different URLs
}

// suspects holds the servers that were seen last. Goroutines may share it.
type suspects struct {
	mu      sync.Mutex
	servers map[string]*list.Element // of *suspect
	used    *list.List               // the latest first
}

func newSuspects() *suspects {
	return &suspects{servers: map[string]*list.Element{}, used: list.New()}
}

// of returns the entry of a server. The caller holds the mutex.
func (s *suspects) of(server string) *suspect {
	if e, ok := s.servers[server]; ok {
		s.used.MoveToFront(e)
		return e.Value.(*suspect)
	}
	x := &suspect{server: server}
	s.servers[server] = s.used.PushFront(x)
	if s.used.Len() > mostSuspects {
		last := s.used.Back()
		delete(s.servers, last.Value.(*suspect).server)
		s.used.Remove(last)
	}
	return x
}

// visited notes a fetched page, and reports whether it is suspected.
func (s *suspects) visited(u *url.URL, page *extract.Page) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of(origin(u))
	x.visits++
	return x.repeats(page.Digests.Text, u) || page.Missing
}

// repeats notes a text, and reports whether enough pages show it.
func (x *suspect) repeats(digest sitegraph.Digest, u *url.URL) bool {
	h := fnv.New64a()
	h.Write([]byte(u.RequestURI()))
	page := max(h.Sum64(), 1)
	for i := range x.texts {
		t := &x.texts[i]
		if t.digest != digest || t.urls[0] == 0 {
			continue
		}
		for j := range t.urls {
			if t.urls[j] == page {
				break
			}
			if t.urls[j] == 0 {
				t.urls[j] = page
				break
			}
		}
		return t.urls[equalTexts-1] != 0
	}
	x.texts[x.next] = recentText{digest: digest, urls: [equalTexts]uint64{page}}
	x.next = (x.next + 1) % recentTexts
	return false
}

// resembles reports whether a page resembles the answer of its server for an impossible URL by
// least or more. If there is no recent answer for the directory of the page, it requests a probe.
func (s *suspects) resembles(u *url.URL, sketch *extract.Sketch, least float64,
	now time.Time) bool {
	if sketch.Words < fewWords {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of(origin(u))
	dir, known := directoryOf(u), false
	for _, p := range x.probes {
		if now.Sub(p.at) >= probeFresh {
			continue
		}
		known = known || p.dir == dir
		if p.sketch != nil && p.sketch.Words >= fewWords && p.sketch.Title == sketch.Title &&
			sketch.Resemblance(p.sketch) >= least {
			return true
		}
	}
	if !known && x.wanted == "" {
		x.wanted = impossible(u)
	}
	return false
}

// due returns an impossible URL to ask for before a visit to a page of the server, or "".
func (s *suspects) due(u *url.URL, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.servers[origin(u)]
	if !ok {
		return ""
	}
	x := e.Value.(*suspect)
	if x.wanted == "" || !x.asked.IsZero() &&
		(x.visits < probeEvery || now.Sub(x.asked) < probePause) {
		return ""
	}
	return x.wanted
}

// answered notes the answer of a server for an impossible URL; nil means that the server reported
// it as missing.
func (s *suspects) answered(u *url.URL, sketch *extract.Sketch, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of(origin(u))
	p := probe{directoryOf(u), now, sketch}
	x.wanted, x.asked, x.visits = "", now, 0
	for i := range x.probes {
		if x.probes[i].dir == p.dir {
			x.probes[i] = p
			return
		}
	}
	if len(x.probes) == mostProbes {
		x.probes = append(x.probes[:0], x.probes[1:]...)
	}
	x.probes = append(x.probes, p)
}

// directoryOf returns the path of a URL up to its last slash.
func directoryOf(u *url.URL) string {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	return path[:strings.LastIndexByte(path, '/')+1]
}

// impossible returns a URL beside a page that nobody has: a random name with the extension of the
// page, because the extension may select the handler.
func impossible(u *url.URL) string {
	const letters = "bcdfghjklmnpqrstvwxz" // no vowels, so no word
	name := make([]byte, 24)
	for i := range name {
		name[i] = letters[rand.IntN(len(letters))]
	}
	ending := ""
	path := u.EscapedPath()
	last := path[strings.LastIndexByte(path, '/')+1:]
	if dot := strings.LastIndexByte(last, '.'); dot > 0 && len(last)-dot <= 6 {
		ending = last[dot:]
	}
	return origin(u) + directoryOf(u) + string(name) + ending
}

// isIndex reports whether a URL is the root or an index page. Servers often answer a wrong URL with
// such a page, so an index page itself is never taken for a soft 404.
func isIndex(u *url.URL) bool {
	path := u.EscapedPath()
	last := path[strings.LastIndexByte(path, '/')+1:]
	name, _, _ := strings.Cut(last, ".")
	switch strings.ToLower(name) {
	case "":
		return u.RawQuery == ""
	case "index", "default", "home":
		return true
	}
	return false
}

// softMissing is the detail of a visit to a soft 404.
const softMissing = "soft 404: the server shows the same for an address that cannot exist"

// isMissing reports whether a page answered with 200 is missing. It may request a probe.
func (c *Client) isMissing(ctx context.Context, o *sitegraph.Observation, a *answer,
	rec *sitegraph.Record, page *extract.Page) bool {
	if !c.o.SoftMissing {
		return false
	}
	u, err := url.Parse(o.URL)
	if err != nil || isIndex(u) || !c.suspects.visited(u, page) {
		return false
	}
	differed := rec.State == sitegraph.StateAlive && !rec.Digests.Text.IsZero() &&
		rec.Digests.Text != page.Digests.Text
	least := sameAs
	if page.Missing {
		least = aboutAs
	}
	sketch, err := c.sketch(ctx, a, o.URL)
	return err == nil && c.suspects.resembles(u, sketch, least, c.clock.Now()) &&
		(page.Missing || differed)
}

func (c *Client) sketch(ctx context.Context, a *answer, url string) (*extract.Sketch, error) {
	content, err := c.o.Read(ctx, Reading{URL: url, ContentType: a.header.Get("Content-Type"),
		Body: a.body.octets,
		Page: extract.Options{Agent: c.agent, Sketch: true}})
	if err != nil || content.Page.Sketch == nil {
		return &extract.Sketch{}, err
	}
	return content.Page.Sketch, nil
}

// probe asks a server for an impossible URL, if one is due. Then the page must wait for its turn,
// and the error is notYet, a LocalError or that of ctx. The error is nil if nothing was asked.
func (c *Client) probe(ctx context.Context, u *url.URL, try int, policy robotsPolicy,
	delay time.Duration) error {
	if !c.o.SoftMissing {
		return nil
	}
	address := c.suspects.due(u, c.clock.Now())
	at, err := url.Parse(address)
	if address == "" || err != nil {
		return nil
	}
	if !policy.rules.Allowed(at.RequestURI()) {
		c.suspects.answered(at, nil, c.clock.Now())
		return nil
	}
	header := http.Header{"Accept": {acceptPages}}
	a, err := c.exchange(ctx, at, header, try, delay, c.o.MaxBody)
	var later *notYet
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &later), isLocal(err):
		return err
	}
	wireOf(ctx).hold(a)
	defer a.release()
	var sketch *extract.Sketch
	if err == nil && (a.status == http.StatusOK || a.status == http.StatusNonAuthoritativeInfo) &&
		isHTML(a.header.Get("Content-Type"), a.body.octets) {
		if sketch, err = c.sketch(ctx, a, address); err != nil {
			sketch = nil
		}
	}
	now := c.clock.Now()
	c.suspects.answered(at, sketch, now)
	return &notYet{until: now.Add(max(delay, c.PauseOf(u.Host)))}
}
