package fetch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/recrawl/recrawl/sitegraph"
)

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// nameserver answers over UDP on loopback; the first label of a name selects the answer.
type nameserver struct {
	addr string
	mu   sync.Mutex
	seen map[string]int // queries by name
	// mood is "" for correct answers, "silent", "servfail" or "refused" for all names, or "inside"
	// to refuse the root.
	mood string
}

func (n *nameserver) is(mood string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mood = mood
}

func serveNames(t *testing.T) *nameserver {
	t.Helper()
	var conn net.PacketConn
	var stream net.Listener
	for { // until a port is free for UDP and TCP
		var err error
		if stream, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stream.Close() })
		if conn, err = net.ListenPacket("udp", stream.Addr().String()); err == nil {
			break
		}
	}
	t.Cleanup(func() { conn.Close() })
	n := &nameserver{addr: conn.LocalAddr().String(), seen: map[string]int{}}
	go n.serveStream(stream)
	go func() {
		buf := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := n.answer(buf[:size], false); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	return n
}

// serveStream answers one query of each connection (RFC 1035, 4.2.2).
func (n *nameserver) serveStream(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err == nil {
			query := make([]byte, binary.BigEndian.Uint16(length[:]))
			if _, err := io.ReadFull(conn, query); err == nil {
				answer := n.answer(query, true)
				conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))),
					answer...))
			}
		}
		conn.Close()
	}
}

func (n *nameserver) queries(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen[name]
}

func (n *nameserver) answer(query []byte, stream bool) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	n.mu.Lock()
	n.seen[name]++
	mood := n.mood
	n.mu.Unlock()
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	a := func(name dnsmessage.Name, ttl uint32, last byte) {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: name, Class: dnsmessage.ClassINET,
					Type: dnsmessage.TypeA, TTL: ttl},
				Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, last}}})
		}
	}
	kind, _, _ := strings.Cut(name, ".")
	switch {
	case mood == "inside" && name == "":
		kind = "refused"
	case mood != "" && mood != "inside":
		kind = mood
	}
	switch kind {
	case "silent", "silent2", "silent3":
		return nil
	case "servfail":
		m.RCode = dnsmessage.RCodeServerFailure
	case "nxdomain":
		m.RCode = dnsmessage.RCodeNameError
	case "refused":
		m.RCode = dnsmessage.RCodeRefused
	case "nodata":
	case "zero":
		a(q.Name, 0, 1)
	case "huge":
		a(q.Name, 1<<31, 1)
	case "day":
		a(q.Name, 100_000, 1)
	case "many":
		for i := range 60 {
			a(q.Name, 600, byte(i))
		}
	case "loop", "pool": // each is an alias of the other
		other := dnsmessage.MustNewName(map[string]string{"loop": "pool", "pool": "loop"}[kind] +
			".example.")
		for _, names := range [][2]dnsmessage.Name{{q.Name, other}, {other, q.Name}} {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: names[0], Class: dnsmessage.ClassINET,
					Type: dnsmessage.TypeCNAME, TTL: 90},
				Body: &dnsmessage.CNAMEResource{CNAME: names[1]}})
		}
	case "stranger": // answers with an address of another name
		a(dnsmessage.MustNewName("victim.example."), 600, 1)
	case "500":
		if !stream {
			m.Truncated = true // asks for TCP
			break
		}
		for i := range 500 {
			a(q.Name, 600, byte(i))
		}
	case "cname":
		m.Answers = append(m.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET,
				Type: dnsmessage.TypeCNAME, TTL: 90},
			Body: &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName("target.example.")}})
		a(dnsmessage.MustNewName("target.example."), 600, 7)
	default:
		a(q.Name, 600, 1)
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

func TestResolver(t *testing.T) {
	n := serveNames(t)
	r := newResolver(n.addr)
	for _, c := range []struct {
		name  string
		addrs int
		ttl   time.Duration // time to live of the answer
	}{
		{"plain.example", 1, 600 * time.Second},
		{"zero.example", 1, leastTTL},
		{"huge.example", 1, leastTTL},
		{"day.example", 1, mostTTL},
		{"many.example", 60, 600 * time.Second},
		{"cname.example", 1, 90 * time.Second},
		{"500.example", mostAddrs, 600 * time.Second},
		{"loop.example", 0, noNameTTL},
		{"stranger.example", 1, 600 * time.Second},
		{"nxdomain.example", 0, noNameTTL},
		{"nodata.example", 0, noNameTTL},
		{"servfail.example", 0, noAnswerTTL},
		{"refused.example", 0, noAnswerTTL},
	} {
		addrs, err := r.lookup(t.Context(), c.name)
		if len(addrs) != c.addrs || (err == nil) != (c.addrs > 0) {
			t.Errorf("%s: %v, %v", c.name, addrs, err)
		}
		var local *LocalError
		if errors.As(err, &local) {
			t.Errorf("%s: blamed on this machine: %v", c.name, err)
		}
		var dns *net.DNSError
		if errors.As(err, &dns) && dns.Server != "" && dns.Server != n.addr {
			t.Errorf("%s: the error names %s, which was not asked", c.name, dns.Server)
		}
		asked := n.queries(c.name)
		if again, _ := r.lookup(t.Context(), strings.ToUpper(c.name)); len(again) != c.addrs ||
			n.queries(c.name) != asked {
			t.Errorf("%s: asked %d times more though the answer holds",
				c.name, n.queries(c.name)-asked)
		}
		kept := r.names[c.name].Value.(*answerOf)
		if holds := time.Until(kept.until).Round(5 * time.Second); holds != c.ttl {
			t.Errorf("%s: holds for %v, want %v", c.name, holds, c.ttl)
		}
	}
	// Records about other names in an answer are not kept.
	for _, other := range []string{"victim.example", "target.example", "pool.example"} {
		if r.names[other] != nil {
			t.Errorf("%s is known though nobody asked for it", other)
		}
	}
}

// TestResolverKnowsHosts checks that names which this machine knows need no query.
func TestResolverKnowsHosts(t *testing.T) {
	if hosts, err := os.ReadFile("/etc/hosts"); err != nil ||
		!strings.Contains(string(hosts), "localhost") {
		t.Skip("/etc/hosts does not name localhost")
	}
	n := serveNames(t)
	if addrs, err := newResolver(n.addr).lookup(t.Context(), "localhost"); err != nil ||
		len(addrs) == 0 || n.queries("localhost") > 0 {
		t.Errorf("%v, %v, %d queries", addrs, err, n.queries("localhost"))
	}
}

// TestResolverAsksOnce checks that concurrent callers for a name make one query for each type.
func TestResolverAsksOnce(t *testing.T) {
	n := serveNames(t)
	r := newResolver(n.addr)
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			if addrs, err := r.lookup(t.Context(), "one.example"); err != nil ||
				addrs[0] != netip.MustParseAddr("127.0.0.1") {
				t.Error(addrs, err)
			}
		})
	}
	wait.Wait()
	if got := n.queries("one.example"); got != 2 {
		t.Errorf("%d queries, want one for each type", got)
	}
}

// TestDeadResolver checks that a name without an answer is its own fault as long as the resolver
// answers for others, however long ago. Otherwise the resolver is dead: from the start on, and at
// once if nobody listens.
func TestDeadResolver(t *testing.T) {
	t.Parallel() // it waits
	look := func(r *resolver, name string) (local bool) {
		r.gives(50 * time.Millisecond)
		_, err := r.lookup(t.Context(), name)
		var fault *LocalError
		return errors.As(err, &fault)
	}
	n := serveNames(t)
	r := newResolver(n.addr)
	for _, name := range []string{"silent.example", "silent2.example", "silent3.example",
		"silent.other.example"} {
		if look(r, name) {
			t.Errorf("%s is silent, and blamed on this machine", name)
		}
		r.mu.Lock()
		r.told = time.Now().Add(-time.Minute)
		r.mu.Unlock()
	}
	if look(r, "plain.example") {
		t.Error("a name that is there is not found")
	}
	nobody, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := nobody.LocalAddr().String()
	silent := newResolver(address) // takes questions, and never answers
	if !look(silent, "plain.example") {
		t.Error("no answer from a resolver that never gave one is blamed on the name")
	}
	nobody.Close()
	if !look(newResolver(address), "plain.example") {
		t.Error("that nobody listens where the resolver should be is blamed on the name")
	}
}

func TestLocate(t *testing.T) {
	n := serveNames(t)
	c, err := New(Options{UserAgent: testAgent, Nameserver: n.addr,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"http://plain.example/x": "127.0.0.1", "https://cname.example/": "127.0.0.7",
		"http://nxdomain.example/": "", "http://10.0.0.1/": "", "http://plain.example:22/": "",
		"http://127.0.0.9/": "127.0.0.9",
	} {
		if got := c.Locate(t.Context(), url); got != want {
			t.Errorf("%s is at %q, want %q", url, got, want)
		}
	}
}

// gives sets the time limit of later look-ups.
func (r *resolver) gives(longest time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.longest = longest
}

// blames reports whether a failed look-up is blamed on this machine.
func blames(t *testing.T, r *resolver, name string, within time.Duration) bool {
	t.Helper()
	r.gives(within)
	_, err := r.lookup(t.Context(), name)
	var fault *LocalError
	if err != nil && !errors.As(err, &fault) {
		return false
	}
	return fault != nil
}

// TestResolverComesBack checks that a look-up proves nothing about its name if it began while the
// resolver was dead and ended after it recovered.
func TestResolverComesBack(t *testing.T) {
	t.Parallel() // it waits
	n := serveNames(t)
	r := newResolver(n.addr)
	n.is("silent")
	if !blames(t, r, "first.example", 50*time.Millisecond) {
		t.Fatal("a dead resolver is blamed on the name")
	}
	late := make(chan bool)
	// The system asks again after 5 s: this look-up is given up earlier.
	go func() { late <- blames(t, r, "late.example", 500*time.Millisecond) }()
	time.Sleep(100 * time.Millisecond)
	n.is("")
	if blames(t, r, "other.example", time.Second) {
		t.Error("a name that is there is not found")
	}
	if !<-late {
		t.Error("a look-up that began while the resolver was dead is blamed on its name")
	}
	if blames(t, r, "silent.example", 50*time.Millisecond) {
		t.Error("a name that is silent by itself is blamed on this machine")
	}
}

// TestFailingResolver checks that a resolver which fails for every name counts as dead, and one
// which fails for some does not, even if it serves only its own names and refuses the root.
func TestFailingResolver(t *testing.T) {
	for _, mood := range []string{"servfail", "refused"} {
		n := serveNames(t)
		r := newResolver(n.addr)
		n.is(mood)
		for _, name := range []string{"plain.example", "other.example", "plain.example"} {
			if !blames(t, r, name, time.Second) {
				t.Errorf("%s to all is blamed on %s", mood, name)
			}
		}
		for _, mood := range []string{"", "inside"} {
			n.is(mood)
			if addrs, err := r.lookup(t.Context(), mood+"back.example"); err != nil ||
				len(addrs) != 1 {
				t.Errorf("after it came back: %v, %v", addrs, err)
			}
			for _, name := range []string{"servfail.example" + mood, "refused.example" + mood} {
				r.mu.Lock()
				r.told = time.Now().Add(-time.Minute)
				r.mu.Unlock()
				r.probed = time.Time{}
				if blames(t, r, name, time.Second) {
					t.Errorf("%s, while the root %q, is blamed on this machine", name, mood)
				}
			}
		}
	}
}

// expire makes the answer for a name one that expired this long ago.
func (r *resolver) expire(name string, since time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.names[name].Value.(*answerOf)
	a.until = time.Now().Add(-since)
	a.stale = a.until.Add(staleFor)
}

// TestTryWaitsForNoName checks that Try never waits for a name server. It uses an expired answer
// during the next look-up.
func TestTryWaitsForNoName(t *testing.T) {
	t.Parallel() // it waits
	pages := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		pages++
		w.Header().Set("Content-Type", "text/html")
	}))
	defer web.Close()
	n := serveNames(t)
	c, err := New(Options{UserAgent: testAgent, Nameserver: n.addr, AllowPrivate: true,
		Interval: NoInterval})
	if err != nil {
		t.Fatal(err)
	}
	c.names.gives(300 * time.Millisecond)
	visit := func(name string) (sitegraph.Observation, time.Time, error) {
		t.Helper()
		began := time.Now()
		o, until, err := c.Try(t.Context(),
			&sitegraph.Record{URL: strings.Replace(web.URL, "127.0.0.1", name, 1) + "/"})
		if took := time.Since(began); took > 200*time.Millisecond {
			t.Errorf("Try of %s took %v", name, took)
		}
		return *o, until, err
	}
	eventually := func(name string) sitegraph.Observation {
		t.Helper()
		for range 100 {
			o, until, err := visit(name)
			if err != nil {
				t.Fatal(err)
			}
			if until.IsZero() {
				return o
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%s is never visited", name)
		return sitegraph.Observation{}
	}
	if o := eventually("plain.example"); o.Outcome != sitegraph.OutcomeFetched || pages != 1 {
		t.Errorf("%v %q", o.Outcome, o.Detail)
	}
	if o := eventually("nxdomain.example"); o.Outcome != sitegraph.OutcomeFailed {
		t.Errorf("a name that is not there: %v %q", o.Outcome, o.Detail)
	}

	// All replies are lost from here on.
	n.is("silent")
	c.names.mu.Lock()
	c.names.told = time.Time{} // for long
	c.names.mu.Unlock()
	c.names.expire("plain.example", time.Hour)
	for range 3 {
		if o, until, err := visit("plain.example"); err != nil || !until.IsZero() ||
			o.Outcome != sitegraph.OutcomeFetched {
			t.Errorf("a known name: %v %q, until %v, %v", o.Outcome, o.Detail, until, err)
		}
		time.Sleep(150 * time.Millisecond)
	}
	for range 3 { // only the unknown name waits, also after the resolver is found to be dead
		if o, until, err := visit("new.example"); err != nil || until.IsZero() ||
			time.Until(until) > deadAgain {
			t.Errorf("a new name: %v %q, until %v, %v", o.Outcome, o.Detail, until, err)
		}
		time.Sleep(150 * time.Millisecond)
	}
	c.names.expire("plain.example", staleFor+time.Second)
	if _, until, err := visit("plain.example"); err == nil && until.IsZero() {
		t.Error("an answer is used that has been over for long")
	}

	// If no known name is visited either, it is a fault of this machine.
	c.names.mu.Lock()
	c.names.known = time.Time{}
	c.names.mu.Unlock()
	for end := time.Now().Add(10 * time.Second); !isLocal(err) &&
		time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		_, _, err = visit("other.example")
	}
	if !isLocal(err) {
		t.Errorf("a dead resolver, and nobody is visited: %v", err)
	}
}

// TestResolverUsesOldAnswers checks that known addresses survive silent and failing name servers,
// but not the answer that the name does not exist.
func TestResolverUsesOldAnswers(t *testing.T) {
	n := serveNames(t)
	r := newResolver(n.addr)
	for _, c := range []struct {
		mood  string
		holds bool
	}{{"silent", true}, {"servfail", true}, {"nxdomain", false}} {
		n.is("")
		r.gives(time.Second)
		name := c.mood + "-later.example"
		if _, err := r.lookup(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		n.is(c.mood)
		r.gives(50 * time.Millisecond)
		r.expire(name, time.Minute)
		if addrs, err := r.lookup(t.Context(), name); err != nil || len(addrs) != 1 {
			t.Errorf("%s: the old answer is not used: %v", c.mood, err)
		}
		for asking := true; asking; time.Sleep(time.Millisecond) {
			r.mu.Lock()
			asking = len(r.asking) > 0
			r.mu.Unlock()
		}
		addrs, err := r.lookup(t.Context(), name)
		if (err == nil) != c.holds || (len(addrs) == 1) != c.holds {
			t.Errorf("%s, after it was asked again: %v, %v", c.mood, addrs, err)
		}
	}
}

// TestDeadResolverIsAskedSeldom checks that a dead resolver gets few look-ups at a time, however
// many names are wanted.
func TestDeadResolverIsAskedSeldom(t *testing.T) {
	t.Parallel() // it waits
	n := serveNames(t)
	r := newResolver(n.addr)
	n.is("silent")
	if !blames(t, r, "first.example", 50*time.Millisecond) {
		t.Fatal("a dead resolver is blamed on the name")
	}
	r.gives(300 * time.Millisecond)
	waiting := 0
	for i := range 500 {
		_, err := r.now(fmt.Sprintf("n%d.example", i))
		if later := (*notYet)(nil); errors.As(err, &later) {
			waiting++
		} else if !isLocal(err) {
			t.Fatal(err)
		}
	}
	if waiting != mostAskedDead {
		t.Errorf("%d look-ups at a time, want %d", waiting, mostAskedDead)
	}
	time.Sleep(400 * time.Millisecond)
	n.is("")
	if addrs, err := r.lookup(t.Context(), "back.example"); err != nil || len(addrs) != 1 {
		t.Errorf("after it came back: %v, %v", addrs, err)
	}
}

// TestResolverRefusesLongNames checks that an invalid name of DNS is not asked for and is its own
// fault (D01).
func TestResolverRefusesLongNames(t *testing.T) {
	n := serveNames(t)
	r := newResolver(n.addr)
	label := strings.Repeat("a", 63) + "."
	longest := strings.Repeat(label, 3) + strings.Repeat("b", 61) // 253 octets
	for name, asked := range map[string]int{longest: 2, longest + "b": 0,
		strings.Repeat(label, 4) + "example": 0, "a" + label + "example": 0,
		"a..example": 0, strings.Repeat("a.", 100_000) + "example": 0} {
		addrs, err := r.lookup(t.Context(), name)
		if got := n.queries(name); got != asked || (err == nil) != (asked > 0) ||
			(len(addrs) > 0) != (asked > 0) || isLocal(err) {
			t.Errorf("%d octets %.70s: %d queries, %v, %.100v", len(name), name, got, addrs, err)
		}
	}
}

// TestResolverKeepsSoMuch checks that memory is bounded for any number of names and answers (M01).
func TestResolverKeepsSoMuch(t *testing.T) {
	r := newResolver("")
	addrs := make([]netip.Addr, mostAddrs)
	until := time.Now().Add(time.Hour)
	names := 2 * mostNames
	if os.Getenv("RECRAWL_LONG") != "" {
		names = 1_000_000
	}
	for i := range names {
		r.keep(&answerOf{name: strconv.Itoa(i) + ".example", addrs: addrs, until: until})
	}
	if len(r.names) != mostNames || r.used.Len() != mostNames {
		t.Errorf("%d names and %d answers are kept, want %d", len(r.names), r.used.Len(), mostNames)
	}
	if r.names["0.example"] != nil || r.names[strconv.Itoa(names-1)+".example"] == nil {
		t.Error("the names that are kept are not the latest")
	}
}
