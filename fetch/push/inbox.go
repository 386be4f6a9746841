package push

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/fetch/websub"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
)

const (
	mostBody    = 4 << 20 // bytes of a request: 10,000 addresses of 400
	mostURLs    = 10_000  // of a request, as IndexNow allows
	mostWaiting = 100_000 // addresses, of all requests
	mostKeys    = 10_000  // keys known or in doubt
	mostProofs  = 8       // keys that are asked for at a time
	mostKeyFile = 1 << 10 // bytes
	keyHolds    = 24 * time.Hour
	doubtHolds  = time.Hour
	proofTime   = 5 * time.Minute
)

// Get asks a server politely for a file and returns at most so many bytes of it.
type Get func(ctx context.Context, address string, most int64) ([]byte, error)

// Inbox takes in requests. Any number of goroutines may use it.
type Inbox struct {
	get   Get
	ctx   context.Context
	feeds *websub.Subscriber // answers hubs; nil: none may come
	woken chan struct{}

	mu      sync.Mutex
	hints   []string // of the operator
	claims  []claim  // of owners, whose keys are not looked at yet
	proved  []string // of owners
	waiting int      // addresses in all of these, and under way
	keys    map[string]*key
	proofs  int // under way
	wait    sync.WaitGroup
}

// claim is what a request says of one server.
type claim struct {
	host     string
	key      string
	location string // of the key's file
	urls     []string
}

// key is what is known of the file of a key.
type key struct {
	claims []claim   // that wait for it
	until  time.Time // when it is to be asked for again
	shown  bool
}

// New returns an empty inbox. Keys are asked for until ctx is over.
func New(ctx context.Context, get Get) *Inbox {
	return &Inbox{get: get, ctx: ctx, keys: map[string]*key{}, woken: make(chan struct{}, 1)}
}

// wake says that there is something to Take.
func (b *Inbox) wake() {
	select {
	case b.woken <- struct{}{}:
	default: // it is said already
	}
}

// Take returns what is to be visited now, and forgets it: what the operator said, and what owners
// proved. Keys of servers that are known are asked for in the background; what is said of other
// servers is dropped. Only Take calls known.
func (b *Inbox) Take(known func(server string) bool) (hints, owned []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	claims := b.claims
	b.claims = nil
	for _, c := range claims {
		if !known(c.host) {
			b.waiting -= len(c.urls)
			continue
		}
		k := b.keyOf(c, now)
		switch {
		case k == nil: // there is no room: later
			b.claims = append(b.claims, c)
		case !k.until.IsZero() && k.shown:
			b.proved = append(b.proved, c.urls...)
		case !k.until.IsZero():
			b.waiting -= len(c.urls)
		case len(k.claims) > 0: // it is being asked for
			k.claims = append(k.claims, c)
		case b.proofs >= mostProofs:
			b.claims = append(b.claims, c)
			delete(b.keys, c.name())
		default:
			k.claims = append(k.claims, c)
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

// keyOf is what is known of the key of a claim; nil: there is no room for one more.
func (b *Inbox) keyOf(c claim, now time.Time) *key {
	k := b.keys[c.name()]
	if k != nil && (k.until.IsZero() || now.Before(k.until)) {
		return k
	}
	if k == nil && len(b.keys) >= mostKeys {
		for name, old := range b.keys {
			if !old.until.IsZero() && now.After(old.until) {
				delete(b.keys, name)
			}
		}
		if len(b.keys) >= mostKeys {
			return nil
		}
	}
	k = &key{}
	b.keys[c.name()] = k
	return k
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
	k := b.keys[c.name()]
	k.shown, k.until = shown, time.Now().Add(doubtHolds)
	if shown {
		k.until = time.Now().Add(keyHolds)
	}
	for _, c := range k.claims {
		if shown {
			b.proved = append(b.proved, c.urls...)
		} else {
			b.waiting -= len(c.urls)
		}
	}
	k.claims = nil
}

// Close waits until no key is asked for any more. The context of New must be over.
func (b *Inbox) Close() { b.wait.Wait() }

// refusal is a request that is not taken.
type refusal struct {
	status int
	why    string
}

func (r *refusal) Error() string { return r.why }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers 200 where what was said is taken, and 202 where its key is still to be proved.
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

// hint takes what the operator says.
func (b *Inbox) hint(r *http.Request) (status int, err error) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	// by a proxy on this machine
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

// room takes room for addresses that wait.
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

// canonical returns addresses as the crawler knows them.
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

// goodKey is what IndexNow allows.
var goodKey = regexp.MustCompile(`^[a-zA-Z0-9-]{8,128}$`)

// indexNow takes what somebody says who claims to own a server.
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
	if err := b.room(len(c.urls)); err != nil {
		return 0, err
	}
	b.claims = append(b.claims, c)
	if k := b.keys[c.name()]; k != nil && k.shown && time.Now().Before(k.until) {
		return http.StatusOK, nil
	}
	return http.StatusAccepted, nil
}

// hostOf is a host without its port, in small letters.
func hostOf(said string) string {
	if host, _, err := net.SplitHostPort(said); err == nil {
		said = host
	}
	return strings.ToLower(said)
}
