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
	// Answers of DNS hold as long as they say, within these bounds.
	leastTTL = time.Minute
	mostTTL  = 24 * time.Hour
	// hostsTTL is for names that this machine knows without asking, as from /etc/hosts.
	hostsTTL = time.Minute
	// The answer that a name does not exist holds for noNameTTL, a missing answer for noAnswerTTL.
	noNameTTL   = 5 * time.Minute
	noAnswerTTL = 30 * time.Second

	// A missing answer for which this machine is to blame holds for localTTL: as long as those
	// wait who come again for it.
	localTTL = 5 * time.Second

	// An answer that is over is used for staleFor more, while no other comes (RFC 8767 proposes up
	// to three days; addresses of servers that moved are not asked for so long).
	staleFor = 6 * time.Hour

	// mostNames bounds the names that are kept, and mostAddrs the addresses of one: a reply may
	// have four thousand.
	mostNames = 100_000
	mostAddrs = 64

	// lookupTime bounds a look-up. The system asks twice, and gives each question slower beside
	// its 5 s: an answer that takes 5 s is one. Nobody waits in a worker.
	lookupTime = 20 * time.Second
	slower     = 2500 * time.Millisecond
	// mostAgain bounds the look-ups at a time of names whose answer is over, and mostAskedDead all
	// while the resolver is dead.
	mostAgain     = 256
	mostAskedDead = 8
	// knownFor is how long after a visit to a known name those go on for which the resolver is
	// not needed. A dead one then holds up unknown names only.
	knownFor = time.Minute

	// A name without any answer is the fault of its own name servers if the resolver
	// of this machine told something of any name within toldFor, or tells something of the root
	// when it is asked; else the resolver is dead. That it failed (SERVFAIL) or will not say
	// (REFUSED) tells nothing.
	toldFor = 10 * time.Second
	// probeTime is how long it has to tell anything.
	probeTime = 3 * time.Second
	// probeHolds is how long what came of that is believed.
	probeHolds = 5 * time.Second
)

// errNoNameServer is wrapped where the resolver of this machine tells nothing of any name.
var errNoNameServer = errors.New("no name server answers")

// resolver looks names up and keeps the answers by their time to live. The system's own resolver
// asks (so that /etc/hosts, resolv.conf, retries and TCP are as everywhere); what it does not tell,
// for how long an answer holds and whether there was one, is read off its connections.
//
// Look-ups go on by themselves, whoever waits for them. An answer that is over is used while it is
// asked for again (RFC 8767), so that a slow or dead name server delays no name that is known.
// Safe for concurrent use.
type resolver struct {
	nameserver string // "address:port"; "": those of the system

	mu      sync.Mutex
	longest time.Duration            // of a look-up
	names   map[string]*list.Element // of *answerOf
	used    *list.List               // the latest first
	asking  map[string]*asking
	again   int       // look-ups under way of names whose answer is over
	known   time.Time // when a visit last got an answer that was there
	told    time.Time // when any name server last told something
	of      string    // the name it told of
	// doubtful look-ups are those that began before: the resolver was dead until then at least.
	doubtful time.Time
	dead     bool // as of the last probe; ends when something is told

	probing sync.Mutex // held while probing
	probed  time.Time  // when that was done last
}

// asking is a look-up that is under way.
type asking struct {
	done  chan struct{} // closed when the answer is there
	began time.Time
	err   error // a LocalError, after done; other answers are kept
}

// answerOf is what is known of a name.
type answerOf struct {
	name  string
	addrs []netip.Addr
	err   error
	until time.Time
	stale time.Time // until when it may be used while it is asked for again
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

// lookup returns the addresses of a name, and waits for them until ctx is over. Of several callers
// one asks.
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

// now returns the addresses of a name without waiting. If they are not known it begins to ask, and
// the error is notYet.
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

// find returns what is known of a name, or the look-up that is under way.
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

// spent reports whether as many look-ups are under way as a dead resolver gets.
func (r *resolver) spent() bool { return r.dead && len(r.asking) >= mostAskedDead }

// servesKnown reports whether visits to names that are known go on.
func (r *resolver) servesKnown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.known) < knownFor
}

// begin begins a look-up; again: of a name whose answer is over. The mutex is held.
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
	// The final dot keeps search domains of this machine out. /etc/hosts has names of one label
	// without it.
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
		dns.Server = r.nameserver // the error names one of the system, which was not asked
	}
	isNoAnswer := local != nil || err != nil && !(errors.As(err, &dns) && dns.IsNotFound)
	if el, ok := r.names[name]; ok && isNoAnswer { // it tells nothing of a name that was there
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

// system is the system's resolver; what name servers say is heard.
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

// tells notes that a name server told something of a name. What began before a dead resolver came
// back to life may have been asked while it was dead.
func (r *resolver) tells(of string, now time.Time) {
	if r.dead {
		r.dead, r.doubtful = false, now
	}
	r.told, r.of = now, of
}

// alive reports whether this machine's resolver was alive since a look-up began that it told
// nothing about, as far as can be told: it told something lately, or tells something now.
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

// probe finds out whether the resolver tells anything of the root. One that serves names of its own
// alone may refuse that: then it is asked for the name that it told something of last.
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

// hearing is what name servers said in the course of one look-up.
type hearing struct {
	slower time.Duration // by how much each reply may be later than the system's patience

	mu    sync.Mutex
	heard bool
	told  bool          // more than that it cannot or will not say
	ttl   time.Duration // the least of all addresses; 0: none came
	err   error         // of a connection
}

func (h *hearing) any() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.heard
}

// tells reports whether anything was said that tells of the name: there, not there, or nowhere.
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

// holds is for how long the result of a look-up is good.
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

// heardPackets is a connection over UDP: each Read is a message. It stays a net.PacketConn, by
// which the system's resolver tells it from a stream.
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

// heardStream is a connection over TCP: each message comes behind its length (RFC 1035 4.2.2).
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

// message takes what a name server said. What cannot be read is nothing said.
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
		if a.TTL >= 1<<31 { // RFC 2181 8: as if it were 0
			ttl = time.Second
		}
		if h.ttl == 0 || ttl < h.ttl {
			h.ttl = ttl
		}
	}
}
