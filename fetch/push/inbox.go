package push

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
)

const (
	mostBody    = 4 << 20 // bytes of a request: 10,000 addresses of 400
	mostURLs    = 10_000  // of a request, as IndexNow allows
	mostWaiting = 100_000 // addresses, of all requests
	mostKeys    = 10_000  // known keys and keys to prove
	mostProofs  = 8       // concurrent requests for keys
	mostKeyFile = 1 << 10 // bytes
	keyHolds    = 24 * time.Hour
	doubtHolds  = time.Hour
	proofTime   = 5 * time.Minute

	// Limits of one server: strangers who name it must neither cost it more requests nor keep
	// others out.
	proofsEach  = 8            // new keys in an hour
	waitingEach = 2 * mostURLs // URLs with unproved keys
	mostServers = 10_000       // servers with keys to prove
)

// Get asks a server politely for a file and returns its first most bytes.
type Get func(ctx context.Context, address string, most int64) ([]byte, error)

// Inbox accepts reports. Goroutines may share it.
type Inbox struct {
	get   Get
	now   func() time.Time
	ctx   context.Context
	feeds *Subscriber // answers hubs; nil: there are none
	woken chan struct{}

	mu      sync.Mutex
	hints   []string // of the operator
	claims  []claim  // of owners, with keys that were not checked yet
	proved  []string // of owners
	waiting int      // URLs in all of these and in progress
	keys    map[string]*key
	servers map[string]*server
	proofs  int // in progress
	wait    sync.WaitGroup
}

// claim is the part of a request about one server.
type claim struct {
	host     string
	key      string
	location string // of the key's file
	urls     []string
}

// key is the state of a key's file.
type key struct {
	claims []claim   // waiting for it
	asked  bool      // a request is in flight
	until  time.Time // when to ask again; zero: it was never asked
	shown  bool      // it was there at the last request
}

// server counts the requests that keys may cost a server.
type server struct {
	since   time.Time // start of its hour
	proofs  int       // keys accepted in it
	waiting int       // URLs with unproved keys
	busy    bool      // a request is in flight
}

// New returns an empty inbox. It asks for keys until ctx ends.
func New(ctx context.Context, get Get) *Inbox {
	return &Inbox{get: get, now: time.Now, ctx: ctx, keys: map[string]*key{},
		servers: map[string]*server{},
		woken:   make(chan struct{}, 1)}
}

// wake signals that there is something to Take.
func (b *Inbox) wake() {
	select {
	case b.woken <- struct{}{}:
	default: // already signalled
	}
}

// Take returns and forgets the reported URLs: hints of the operator, and proved ones of owners. It
// requests keys of known servers in the background, and drops reports about other servers. Only
// Take calls known.
func (b *Inbox) Take(known func(server string) bool) (hints, owned []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	claims := b.claims
	b.claims = nil
	for _, c := range claims {
		of := b.servers[c.host]
		if !known(c.host) {
			b.resolve(c, false)
			if k := b.keys[c.name()]; k != nil && k.until.IsZero() && !k.asked {
				delete(b.keys, c.name())
			}
			if of.waiting == 0 && !of.busy {
				delete(b.servers, c.host)
			}
			continue
		}
		k := b.keys[c.name()]
		if k == nil { // dropped for another
			k = &key{}
			b.keys[c.name()] = k
		}
		switch {
		case k.isKnown(now):
			b.resolve(c, k.shown)
		case k.asked:
			k.claims = append(k.claims, c)
		case of.busy || b.proofs >= mostProofs:
			b.claims = append(b.claims, c)
		default:
			k.asked, k.claims = true, append(k.claims, c)
			of.busy = true
			b.proofs++
			b.wait.Go(func() { b.prove(c) })
		}
	}
	hints, owned = b.hints, b.proved
	b.hints, b.proved = nil, nil
	b.waiting -= len(hints) + len(owned)
	return hints, owned
}

func (c claim) name() string { return c.location + " " + c.key }

// isKnown reports whether the file of a key was checked and the result still holds.
func (k *key) isKnown(now time.Time) bool { return now.Before(k.until) }

// resolve ends the wait of a claim, with the result for its key.
func (b *Inbox) resolve(c claim, proved bool) {
	b.servers[c.host].waiting -= len(c.urls)
	if proved {
		b.proved = append(b.proved, c.urls...)
	} else {
		b.waiting -= len(c.urls)
	}
}

// prove asks a server for the file of a key.
func (b *Inbox) prove(c claim) {
	ctx, cancel := context.WithTimeout(b.ctx, proofTime)
	defer cancel()
	content, err := b.get(ctx, c.location, mostKeyFile)
	shown := err == nil && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(string(content))),
		[]byte(c.key)) == 1
	defer b.wake() // also for claims that wait for room
	b.mu.Lock()
	defer b.mu.Unlock()
	b.proofs--
	b.servers[c.host].busy = false
	k := b.keys[c.name()]
	k.asked, k.shown, k.until = false, shown, b.now().Add(doubtHolds)
	if shown {
		k.until = b.now().Add(keyHolds)
	}
	for _, c := range k.claims {
		b.resolve(c, shown)
	}
	k.claims = nil
}

// accept accepts a claim, or returns why not: waiting reports and requests are limited.
func (b *Inbox) accept(c claim) (status int, err error) {
	now := b.now()
	k, of := b.keys[c.name()], b.servers[c.host]
	if k != nil && k.isKnown(now) && !k.shown {
		return 0, refuse(http.StatusForbidden, "%s did not show this key; it is asked again in %v",
			c.location, k.until.Sub(now).Round(time.Second))
	}
	status = http.StatusAccepted
	if k != nil && k.isKnown(now) {
		status = http.StatusOK
	}
	if of == nil {
		if of = b.newServer(now); of == nil {
			return 0, refuse(http.StatusTooManyRequests, "keys of too many servers wait")
		}
	}
	if now.Sub(of.since) >= time.Hour {
		of.since, of.proofs = now, 0
	}
	news := k == nil || !k.shown && !k.until.IsZero() && !k.isKnown(now)
	switch {
	case status == http.StatusAccepted && of.waiting+len(c.urls) > waitingEach:
		return 0, refuse(http.StatusTooManyRequests, "%d addresses of %s wait already", of.waiting,
			c.host)
	case news && of.proofs >= proofsEach:
		return 0, refuse(http.StatusTooManyRequests,
			"%d other keys were asked of %s in this hour", of.proofs, c.host)
	case k == nil && !b.keyRoom(now):
		return 0, refuse(http.StatusTooManyRequests, "too many keys are known")
	}
	if err := b.room(len(c.urls)); err != nil {
		return 0, err
	}
	if news {
		of.proofs++
		b.keys[c.name()] = &key{}
	}
	of.waiting += len(c.urls)
	b.servers[c.host] = of
	b.claims = append(b.claims, c)
	return status, nil
}

// keyRoom reports whether there is room for another key.
func (b *Inbox) keyRoom(now time.Time) bool {
	if len(b.keys) >= mostKeys {
		maps.DeleteFunc(b.keys, func(_ string, k *key) bool {
			return !k.asked && !k.until.IsZero() && !k.isKnown(now)
		})
	}
	return len(b.keys) < mostKeys
}

// newServer returns a new server, or nil without room.
func (b *Inbox) newServer(now time.Time) *server {
	if len(b.servers) >= mostServers {
		maps.DeleteFunc(b.servers, func(_ string, of *server) bool {
			return of.waiting == 0 && !of.busy && now.Sub(of.since) >= time.Hour
		})
	}
	if len(b.servers) >= mostServers {
		return nil
	}
	return &server{since: now}
}

// Close waits for requests in flight. The context of New must have ended.
func (b *Inbox) Close() { b.wait.Wait() }

// refusal is a refused request.
type refusal struct {
	status int
	why    string
}

func (r *refusal) Error() string { return r.why }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers 200 to accepted reports, and 202 if their key must still be proved.
func (b *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var status int
	var err error
	body := r.Body
	r.Body = http.MaxBytesReader(w, body, mostBody)
	switch r.URL.Path {
	case "/indexnow":
		status, err = b.indexNow(r)
	case "/hint":
		status, err = b.hint(r)
	default:
		if b.feeds != nil {
			r.Body = body
			b.feeds.ServeHTTP(w, r)
			return
		}
		err = refuse(http.StatusNotFound, "there are /indexnow and /hint")
	}
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		if refused.status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "60")
		}
		http.Error(w, refused.why, refused.status)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		w.WriteHeader(status)
		b.wake()
	}
}

// hint accepts a report of the operator.
func (b *Inbox) hint(r *http.Request) (status int, err error) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	// sent on by a proxy on this machine
	forwarded := r.Header.Get("Forwarded") + r.Header.Get("X-Forwarded-For") + r.Header.Get("Via")
	if err != nil || !from.Addr().Unmap().IsLoopback() || forwarded != "" {
		return 0, refuse(http.StatusForbidden, "hints are taken from this machine alone")
	}
	if r.Method != http.MethodPost {
		return 0, refuse(http.StatusMethodNotAllowed, "hints are sent by POST")
	}
	var said struct {
		URLs []string `json:"urls"`
	}
	if err := readJSON(r, &said); err != nil {
		return 0, err
	}
	urls, err := canonical(said.URLs)
	if err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.room(len(urls)); err != nil {
		return 0, err
	}
	b.hints = append(b.hints, urls...)
	return http.StatusOK, nil
}

// room reserves room for waiting URLs.
func (b *Inbox) room(urls int) error {
	if b.waiting+urls > mostWaiting {
		return refuse(http.StatusTooManyRequests, "%d addresses wait already", b.waiting)
	}
	b.waiting += urls
	return nil
}

func readJSON(r *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "the content type must be application/json")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return refuse(http.StatusRequestEntityTooLarge,
			"the body cannot be read, or has more than %d bytes", mostBody)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return refuse(http.StatusBadRequest, "the JSON is not as expected: %v", err)
	}
	return nil
}

// canonical returns URLs in canonical form.
func canonical(all []string) ([]string, error) {
	if len(all) == 0 {
		return nil, refuse(http.StatusBadRequest, "no address is named")
	}
	if len(all) > mostURLs {
		return nil, refuse(http.StatusUnprocessableEntity, "%d addresses; at most %d in a request",
			len(all), mostURLs)
	}
	urls := make([]string, len(all))
	for i, raw := range all {
		url, kind := listed.One(raw)
		if kind != listed.Address {
			return nil, refuse(http.StatusUnprocessableEntity, "address %d, %.120q, is refused: %v",
				i+1, raw, kind)
		}
		urls[i] = url
	}
	return urls, nil
}

// goodKey matches keys that IndexNow allows.
var goodKey = regexp.MustCompile(`^[a-zA-Z0-9-]{8,128}$`)

// indexNow accepts a report of somebody who claims to own a server.
func (b *Inbox) indexNow(r *http.Request) (status int, err error) {
	var said struct {
		Host        string   `json:"host"`
		Key         string   `json:"key"`
		KeyLocation string   `json:"keyLocation"`
		URLs        []string `json:"urlList"`
	}
	switch r.Method {
	case http.MethodGet:
		q := r.URL.Query()
		said.Key, said.KeyLocation, said.URLs = q.Get("key"), q.Get("keyLocation"), q["url"]
	case http.MethodPost:
		if err := readJSON(r, &said); err != nil {
			return 0, err
		}
	default:
		return 0, refuse(http.StatusMethodNotAllowed, "IndexNow knows GET and POST")
	}
	c := claim{key: said.Key}
	if !goodKey.MatchString(c.key) {
		return 0, refuse(http.StatusForbidden,
			"the key must have 8 to 128 letters, digits and hyphens")
	}
	if c.urls, err = canonical(said.URLs); err != nil {
		return 0, err
	}
	first, err := url.Parse(c.urls[0])
	if err != nil {
		return 0, err
	}
	c.host = first.Host
	root := first.Scheme + "://" + first.Host + "/"
	c.location = root + c.key + ".txt"
	folder := root
	if said.KeyLocation != "" {
		if c.location, err = sitegraph.Canonical(said.KeyLocation); err != nil {
			return 0, refuse(http.StatusUnprocessableEntity, "keyLocation: %v", err)
		}
		folder = c.location[:strings.LastIndexByte(c.location, '/')+1]
	}
	if !strings.HasPrefix(c.location, root) {
		return 0, refuse(http.StatusUnprocessableEntity,
			"the key lies at another server than the addresses")
	}
	if host := hostOf(said.Host); host != "" && host != first.Hostname() {
		return 0, refuse(http.StatusUnprocessableEntity, "the addresses are not of host %s", host)
	}
	for i, u := range c.urls {
		if !strings.HasPrefix(u, folder) {
			return 0, refuse(http.StatusUnprocessableEntity,
				"address %d does not lie in %s, for which the key speaks", i+1, folder)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accept(c)
}

// hostOf returns a host without its port, in lower case.
func hostOf(said string) string {
	if host, _, err := net.SplitHostPort(said); err == nil {
		said = host
	}
	return strings.ToLower(said)
}
