package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// refusedAddresses has at least one address of each class that no public page can have.
const refusedAddresses = `
	127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
	100.64.0.1 100.127.255.255 0.0.0.0 0.1.2.3 192.0.0.8 192.0.2.1 198.18.0.1 198.19.255.255
	198.51.100.1 203.0.113.1 192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
	:: ::1 fc00::1 fdff::1 fe80::1 febf::1 fec0::1 ff02::1 2001:db8::1 100::1 2001::1 3fff::1 5f00::1
	::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 ::ffff:0:10.0.0.1
	64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::1 2002:7f00:1:: 2002:c0a8:101::1 fe80::1%lo`

func TestGuardRefusesWithoutDialling(t *testing.T) {
	for _, text := range strings.Fields(refusedAddresses) {
		addr := netip.MustParseAddr(text)
		dials, lookups := 0, 0
		c, err := New(Options{UserAgent: testAgent, Clock: newClock(),
			Resolve: func(context.Context, string) ([]netip.Addr, error) {
				lookups++
				return []netip.Addr{addr}, nil
			},
			Dial: func(context.Context, string, string) (net.Conn, error) {
				dials++
				return nil, errors.New("no")
			}})
		if err != nil {
			t.Fatal(err)
		}
		urls := []string{"http://h.example/"}
		if addr.Zone() == "" {
			literal := text
			if addr.Is6() {
				literal = "[" + text + "]"
			}
			urls = append(urls, "http://"+literal+"/", "https://user@"+literal+":443/x")
		}
		for _, u := range urls {
			o, err := c.Visit(context.Background(), sitegraph.Record{URL: u})
			if err != nil || o.Outcome != sitegraph.OutcomeExcluded ||
				!strings.Contains(o.Detail, "not a public address") {
				t.Errorf("%s at %v: %v %q %v", u, addr, o.Outcome, o.Detail, err)
			}
		}
		denied, _ := c.Visit(context.Background(), sitegraph.Record{URL: urls[0]})
		if want := (sitegraph.Denial{By: sitegraph.DeniedByAddress,
			What: addr.Unmap().String()}); denied.Denied != want {
			t.Errorf("%v: denied by %+v, want %+v", addr, denied.Denied, want)
		}
		if dials != 0 || lookups == 0 {
			t.Errorf("%v: %d dials, %d look-ups", addr, dials, lookups)
		}
		if err := c.control("tcp", netip.AddrPortFrom(addr, 80).String(), nil); !errors.Is(err,
			errRefused) {
			t.Errorf("the last word before connecting lets %v pass", addr)
		}
	}
}

func TestGuardOfPorts(t *testing.T) {
	dials := 0
	options := Options{UserAgent: testAgent, Clock: newClock(), AllowPorts: []uint16{8080},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		},
		Dial: func(context.Context, string, string) (net.Conn, error) {
			dials++
			return nil, errors.New("no")
		}}
	c, _ := New(options)
	for port, want := range map[string]sitegraph.Outcome{
		"22": sitegraph.OutcomeExcluded, "6379": sitegraph.OutcomeExcluded,
		"65536": sitegraph.OutcomeExcluded,
		"0":     sitegraph.OutcomeExcluded, "8080": sitegraph.OutcomeFailed,
	} {
		before := dials
		o, _ := c.Visit(context.Background(),
			sitegraph.Record{URL: "http://h.example:" + port + "/"})
		if o.Outcome != want || (dials > before) != (want == sitegraph.OutcomeFailed) {
			t.Errorf("port %s: %v %q, %d dials", port, o.Outcome, o.Detail, dials-before)
		}
		want := sitegraph.Denial{By: sitegraph.DeniedByPort, What: port}
		if port == "8080" || port == "65536" { // allowed, and allowed by no setting
			want = sitegraph.Denial{}
		}
		if o.Denied != want {
			t.Errorf("port %s: denied by %+v, want %+v", port, o.Denied, want)
		}
	}
}

// TestGuardNamesTheAddress checks that the refusal of a URL with an address names the address and
// not the port: the setting that allows the address allows the port.
func TestGuardNamesTheAddress(t *testing.T) {
	c, _ := New(Options{UserAgent: testAgent, Clock: newClock()})
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "a.localhost", "[::1]"} {
		o, _ := c.Visit(context.Background(), sitegraph.Record{URL: "http://" + host + ":8100/"})
		if o.Denied.By != sitegraph.DeniedByAddress {
			t.Errorf("%s: denied by %+v, want the address", host, o.Denied)
		}
	}
	o, _ := c.Visit(context.Background(), sitegraph.Record{URL: "http://8.8.8.8:8100/"})
	if want := (sitegraph.Denial{By: sitegraph.DeniedByPort, What: "8100"}); o.Denied != want {
		t.Errorf("denied by %+v, want %+v", o.Denied, want)
	}
}

// TestOnlyCheckedAddressIsDialled checks three attacks. Of several addresses the private one is
// dropped; a name that changes its address before the connection gains nothing; a Dial that
// connects elsewhere is refused.
func TestOnlyCheckedAddressIsDialled(t *testing.T) {
	public, private := netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")
	var dialled []string
	lookups := 0
	o := Options{UserAgent: testAgent, Clock: newClock(),
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			lookups++
			if lookups == 1 {
				return []netip.Addr{private, public, netip.MustParseAddr("fd00::1")}, nil
			}
			return []netip.Addr{private}, nil
		},
		Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
			dialled = append(dialled, addr)
			return nil, errors.New("no")
		}}
	c, _ := New(o)
	c.Visit(context.Background(), sitegraph.Record{URL: "http://h.example/"})
	if len(dialled) != 1 || dialled[0] != "8.8.8.8:80" || lookups != 1 {
		t.Errorf("dialled %v after %d look-ups", dialled, lookups)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	o.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{public}, nil
	}
	o.Dial = func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("tcp", listener.Addr().String())
	}
	c, _ = New(o)
	if got, _ := c.Visit(context.Background(),
		sitegraph.Record{URL: "http://h.example/"}); got.Outcome != sitegraph.OutcomeExcluded {
		t.Errorf("connected elsewhere: %v %q", got.Outcome, got.Detail)
	}
}

func TestAddressesTakeTurns(t *testing.T) {
	c, _ := New(Options{UserAgent: testAgent, Resolve: func(context.Context, string) ([]netip.Addr,
		error) {
		return []netip.Addr{netip.MustParseAddr("2606:4700::1"), netip.MustParseAddr("8.8.8.8"),
			netip.MustParseAddr("8.8.4.4")}, nil
	}})
	for try, want := range []string{"8.8.8.8:80", "8.8.4.4:80", "[2606:4700::1]:80", "8.8.8.8:80"} {
		got, err := c.resolve(&url.URL{Scheme: "http", Host: "h.example"}, try,
			c.awaited(context.Background()))
		if err != nil || got.String() != want {
			t.Errorf("try %d: %v %v, want %s", try, got, err, want)
		}
	}
}
