package fetch

import (
	"container/list"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	// Answers of DNS are kept for their time to live, within these limits.
	leastTTL = time.Minute
	mostTTL  = 24 * time.Hour
	// hostsTTL is for names that this machine knows without a query, for example from /etc/hosts.
	hostsTTL = time.Minute
	// noNameTTL is how long the answer that a name does not exist is kept, noAnswerTTL a missing
	// answer.
	noNameTTL   = 5 * time.Minute
	noAnswerTTL = 30 * time.Second

	// localTTL is how long a missing answer is kept that is this machine's fault: callers try again
	// about as often.
	localTTL = 5 * time.Second

	// staleFor is how long an expired answer is used while no new one comes. RFC 8767 proposes up
	// to three days; servers that moved should be found earlier.
	staleFor = 6 * time.Hour

	// mostNames limits the names that are kept, and mostAddrs the addresses of one: a reply may
	// have four thousand.
	mostNames = 100_000
	mostAddrs = 64

	// lookupTime limits a look-up. The system asks twice with a time-out of 5 s each; slower adds
	// patience for late answers. No worker waits for it.
	lookupTime = 20 * time.Second
	slower     = 2500 * time.Millisecond
	// mostAgain limits the concurrent look-ups of expired names, and mostAskedDead all look-ups
	// while the resolver is dead.
	mostAgain     = 256
	mostAskedDead = 8
	// knownFor is how long after a visit to a known name such visits continue. A dead resolver then
	// delays unknown names only.
	knownFor = time.Minute

	// toldFor separates two causes of a missing answer. If the resolver of this machine answered
	// for any name within this time, or answers for the root now, the name's own servers failed.
	// Otherwise the resolver is dead. SERVFAIL and REFUSED do not count as answers.
	toldFor = 10 * time.Second
	// probeTime is how long the resolver has to answer a probe.
	probeTime = 3 * time.Second
	// probeHolds is how long the result of a probe is valid.
	probeHolds = 5 * time.Second
)

// errNoNameServer is wrapped if the resolver of this machine answers for no name.
var errNoNameServer = errors.New("no name server answers")

// resolver looks up names and keeps the answers for their time to live. The resolver of the system
// asks, so that /etc/hosts, resolv.conf, retries and TCP work as everywhere. The time to live, and
// whether there was an answer, are read from its connections.
//
// Look-ups run by themselves, whoever waits for them. An expired answer is used during the next
// look-up (RFC 8767), so that a slow or dead name server delays no known name. Goroutines may share
// a resolver.
type resolver struct {
	nameserver string // "address:port"; "": those of the system

	mu      sync.Mutex
	longest time.Duration            // time limit of a look-up
	names   map[string]*list.Element // of *answerOf
	used    *list.List               // the latest first
	asking  map[string]*asking
	again   int       // running look-ups of expired names
	known   time.Time // when a visit last used a known answer
	told    time.Time // when a name server last answered
	of      string    // the name of that answer
	// doubtful is a time until which the resolver was dead at least: look-ups that began earlier
	// prove nothing.
	doubtful time.Time
	dead     bool // result of the last probe; any answer ends it

	probing sync.Mutex // held while probing
	probed  time.Time  // time of the last probe
}

// asking is a running look-up.
type asking struct {
	done  chan struct{} // closed when the look-up ends
	began time.Time
	err   error // a LocalError, after done; other errors are kept as answers
}

// answerOf is the kept answer for a name.
type answerOf struct {
	name  string
	addrs []netip.Addr
	err   error
	until time.Time
	stale time.Time // until when it may be used during a new look-up
}

func newResolver(nameserver string) *resolver {
	return &resolver{
		nameserver: nameserver,
		longest:    lookupTime,
		names:      map[string]*list.Element{},
		used:       list.New(),
		asking:     map[string]*asking{},
	}
}

// lookup returns the addresses of a name, and waits for them until ctx ends. One of several callers
// asks.
func (r *resolver) lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	for {
		addrs, ask, err := r.find(name)
		if ask == nil {
			return addrs, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ask.done:
			if ask.err != nil {
				return nil, ask.err
			}
		}
	}
}

// now returns the addresses of a name without waiting. If they are not known it starts a look-up,
// and the error is notYet.
func (r *resolver) now(name string) ([]netip.Addr, error) {
	addrs, ask, err := r.find(name)
	if ask != nil {
		return nil, &notYet{busy: ask.done, since: ask.began}
	}
	if err == nil {
		r.mu.Lock()
		r.known = time.Now()
		r.mu.Unlock()
	}
	return addrs, err
}

// find returns the kept addresses of a name, or the running look-up.
func (r *resolver) find(name string) ([]netip.Addr, *asking, error) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	ask := r.asking[name]
	if el, ok := r.names[name]; ok {
		a := el.Value.(*answerOf)
		r.used.MoveToFront(el)
		isOver := !now.Before(a.until)
		if isOver && now.Before(a.stale) {
			if ask == nil && r.again < mostAgain && !r.spent() {
				r.again++
				r.begin(name, now, true)
			}
			isOver = false
		}
		if !isOver {
			return a.addrs, nil, a.err
		}
	}
	if ask != nil {
		return nil, ask, nil
	}
	if r.spent() {
		return nil, nil, &LocalError{Err: errNoNameServer}
	}
	return nil, r.begin(name, now, false), nil
}

// spent reports whether as many look-ups are running as a dead resolver may have.
func (r *resolver) spent() bool { return r.dead && len(r.asking) >= mostAskedDead }

// servesKnown reports whether visits to known names continue.
func (r *resolver) servesKnown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.known) < knownFor
}

// begin starts a look-up; again means that the name has an expired answer. The caller holds the
// mutex.
func (r *resolver) begin(name string, now time.Time, again bool) *asking {
	ask := &asking{done: make(chan struct{}), began: now}
	r.asking[name] = ask
	go r.ask(name, ask, again, r.longest)
	return ask
}

// ask looks a name up and keeps the answer.
func (r *resolver) ask(name string, ask *asking, again bool, longest time.Duration) {
	heard := hearing{slower: slower}
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	// The final dot keeps search domains of this machine out. Names of one label stay without it
	// for /etc/hosts.
	full := name
	if strings.Contains(name, ".") {
		full += "."
	}
	addrs, err := r.system(&heard).LookupNetIP(ctx, "ip", full)
	var local error
	switch {
	case err == nil:
	case localFault(heard.trouble()) != nil:
		local = &LocalError{Err: heard.trouble()}
	case !heard.tells() && !r.alive(ask.began):
		local = &LocalError{Err: fmt.Errorf("%w: %w", errNoNameServer, err)}
	}
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	defer close(ask.done)
	delete(r.asking, name)
	if again {
		r.again--
	}
	if heard.tells() {
		r.tells(full, now)
	}
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.Server != "" && r.nameserver != "" {
		dns.Server = r.nameserver // the error names a server of the system, which was not asked
	}
	isNoAnswer := local != nil || err != nil && !(errors.As(err, &dns) && dns.IsNotFound)
	if el, ok := r.names[name]; ok && isNoAnswer { // no answer for a name that is known
		if a := el.Value.(*answerOf); a.err == nil && now.Before(a.stale) {
			a.until = now.Add(noAnswerTTL)
			return
		}
	}
	a := &answerOf{name: name, addrs: slices.Clone(addrs[:min(len(addrs), mostAddrs)]), err: err}
	if local != nil {
		ask.err = local
		a.err, a.until = local, now.Add(localTTL)
	} else {
		a.until = now.Add(heard.holds(err))
	}
	a.stale = a.until
	if a.err == nil {
		a.stale = a.until.Add(staleFor)
	}
	r.keep(a)
}

// system returns the resolver of the system, with hearing on its connections.
func (r *resolver) system(heard *hearing) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if r.nameserver != "" {
				address = r.nameserver
			}
			var d net.Dialer
			conn, err := d.DialContext(ctx, network, address)
			if err != nil {
				heard.failed(err)
				return nil, err
			}
			return heard.on(conn), nil
		},
	}
}

// tells notes an answer of a name server for a name. Look-ups that began before a dead resolver
// recovered may have been lost, so they are doubtful.
func (r *resolver) tells(of string, now time.Time) {
	if r.dead {
		r.dead, r.doubtful = false, now
	}
	r.told, r.of = now, of
}

// alive reports whether the resolver of this machine answered since a look-up without an answer
// began: it answered lately, or answers a probe now.
func (r *resolver) alive(since time.Time) bool {
	r.probing.Lock()
	defer r.probing.Unlock()
	r.mu.Lock()
	lately, of := time.Since(r.told) < toldFor, r.of
	r.mu.Unlock()
	if !lately && time.Since(r.probed) >= probeHolds {
		r.probe(of)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.dead && !since.Before(r.doubtful)
}

// probe asks the resolver for the root. A resolver that serves only its own names may refuse that:
// then probe asks for the name of its last answer.
func (r *resolver) probe(of string) {
	heard := r.probeFor(".")
	if !heard.tells() && heard.any() && of != "" {
		heard = r.probeFor(of)
	}
	now := time.Now()
	r.probed = now
	r.mu.Lock()
	defer r.mu.Unlock()
	if heard.tells() {
		r.tells(of, now)
	} else {
		r.dead, r.doubtful = true, now
	}
}

func (r *resolver) probeFor(name string) *hearing {
	var heard hearing
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	if name == "." {
		r.system(&heard).LookupNS(ctx, name)
	} else {
		r.system(&heard).LookupNetIP(ctx, "ip", name)
	}
	return &heard
}

func (r *resolver) keep(a *answerOf) {
	if el, ok := r.names[a.name]; ok {
		el.Value = a
		r.used.MoveToFront(el)
	} else {
		r.names[a.name] = r.used.PushFront(a)
	}
	for r.used.Len() > mostNames {
		last := r.used.Back()
		delete(r.names, last.Value.(*answerOf).name)
		r.used.Remove(last)
	}
}

// hearing is what name servers said during one look-up.
type hearing struct {
	slower time.Duration // extra delay for each reply, beyond the time-out of the system

	mu    sync.Mutex
	heard bool
	told  bool          // an answer other than SERVFAIL or REFUSED
	ttl   time.Duration // the least of all addresses; 0: no address came
	err   error         // of a connection
}

func (h *hearing) any() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.heard
}

// tells reports whether an answer was about the name: it exists, does not exist, or has no servers.
func (h *hearing) tells() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.told
}

func (h *hearing) failed(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
}

func (h *hearing) trouble() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// holds returns how long the result of a look-up may be kept.
func (h *hearing) holds(err error) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	var dns *net.DNSError
	switch {
	case err == nil && h.ttl == 0:
		return hostsTTL
	case err == nil:
		return min(max(h.ttl, leastTTL), mostTTL)
	case errors.As(err, &dns) && dns.IsNotFound:
		return noNameTTL
	}
	return noAnswerTTL
}

// on listens to a connection to a name server.
func (h *hearing) on(conn net.Conn) net.Conn {
	if packets, ok := conn.(net.PacketConn); ok {
		return &heardPackets{conn, packets, h}
	}
	return &heardStream{Conn: conn, h: h}
}

// heardPackets is a connection over UDP: each Read is a message. It remains a net.PacketConn,
// because the resolver of the system distinguishes it from a stream by that.
type heardPackets struct {
	net.Conn
	net.PacketConn
	h *hearing
}

func (c *heardPackets) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.h.message(p[:n])
	return n, err
}

func (c *heardPackets) Close() error        { return c.Conn.Close() }
func (c *heardPackets) LocalAddr() net.Addr { return c.Conn.LocalAddr() }
func (c *heardPackets) SetDeadline(t time.Time) error {
	return c.Conn.SetDeadline(t.Add(c.h.slower))
}
func (c *heardPackets) SetReadDeadline(t time.Time) error  { return c.Conn.SetReadDeadline(t) }
func (c *heardPackets) SetWriteDeadline(t time.Time) error { return c.Conn.SetWriteDeadline(t) }

// heardStream is a connection over TCP: each message follows its length (RFC 1035 4.2.2).
type heardStream struct {
	net.Conn
	h   *hearing
	buf []byte
}

func (c *heardStream) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.buf = append(c.buf, p[:n]...)
	for len(c.buf) >= 2 {
		length := int(binary.BigEndian.Uint16(c.buf))
		if len(c.buf) < 2+length {
			break
		}
		c.h.message(c.buf[2 : 2+length])
		c.buf = c.buf[2+length:]
	}
	return n, err
}

// message takes one message of a name server. It ignores a message that cannot be read.
func (h *hearing) message(b []byte) {
	var p dnsmessage.Parser
	header, err := p.Start(b)
	if err != nil || !header.Response {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard = true
	h.told = h.told || header.RCode != dnsmessage.RCodeServerFailure &&
		header.RCode != dnsmessage.RCodeRefused
	if p.SkipAllQuestions() != nil {
		return
	}
	for {
		a, err := p.AnswerHeader()
		if err != nil || p.SkipAnswer() != nil {
			return
		}
		ttl := max(time.Duration(a.TTL)*time.Second, time.Second)
		if a.TTL >= 1<<31 { // RFC 2181 8: read as 0
			ttl = time.Second
		}
		if h.ttl == 0 || ttl < h.ttl {
			h.ttl = ttl
		}
	}
}
