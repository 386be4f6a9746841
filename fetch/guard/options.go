package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"
)

// Limits are enforced by a guard. The tags are those of cmd/config.
type Limits struct {
	Listen      string        `default:"127.0.0.1:3128" help:"address and port to listen on; one that others can reach needs --clients"`
	Clients     []string      `help:"clients of the guard beside this machine, e.g. 10.20.0.0/16; may be repeated"`
	Interval    time.Duration `default:"10s" range:"[0,)" help:"least time from the end of a request to an address, or to a host, to the start of the next"`
	Parallel    int           `default:"1" range:"[1,1000]" help:"requests at a time to an address, and to a host"`
	AddressHour int64         `key:"address-hour" default:"360" range:"[0,)" help:"requests to an address in any hour; 0 for no limit"`
	AllHour     int64         `key:"all-hour" default:"250000" range:"[0,)" help:"requests to all addresses in any hour; 0 for no limit"`

	AddressBytes int64 `key:"address-bytes" default:"500000000" range:"[0,)" help:"bytes read from an address in any hour; 0 for no limit"`
	AllBytes     int64 `key:"all-bytes" default:"50000000000" range:"[0,)" help:"bytes read from all addresses in any hour; 0 for no limit"`
	AnswerBytes  int64 `key:"answer-bytes" default:"20000000" range:"[1,)" help:"bytes of one answer, or of one tunnel; the rest is cut"`

	StopAddressAfter int `key:"stop-address-after" range:"[0,)" help:"shut an address after this number of violations in a row; 0 for never"`
	StopAfter        int `key:"stop-after" range:"[0,)" help:"shut everything after this number of violations in a row; 0 for never"`

	Connect     string `default:"bound" oneof:"bound, refuse" help:"treatment of tunnels for https: bound them, or refuse them"`
	TunnelTurns int    `key:"tunnel-turns" default:"5" range:"[0,)" help:"how often a client may send 100 bytes or more after the server did, in one tunnel; 0 for no limit"`
	TunnelSent  int64  `key:"tunnel-sent" default:"65536" range:"[1,)" help:"bytes that a client may send in one tunnel"`

	Longest     time.Duration `default:"2m" range:"[1s,)" help:"longest time of one request or tunnel"`
	Addresses   int           `default:"200000" range:"[1,)" help:"addresses remembered, and as many hosts; 600 bytes for both"`
	Connections int           `default:"10000" range:"[1,)" help:"connections of clients at a time; further ones wait"`
}

// Options configure a guard. All except Limits may be zero.
type Options struct {
	Limits

	AllowPrivate  bool           // all addresses and ports: for one's own servers only
	AllowNetworks []netip.Prefix // permitted although not public
	AllowPorts    []uint16       // permitted besides 80 and 443, and for tunnels besides 443

	// Nameserver ("address:port") replaces the name servers of the system.
	Nameserver string

	// Log gets a line for each violation, and when something is shut; nil: no lines.
	Log *slog.Logger
}

// ErrOpen refuses to listen where others could use the guard.
var ErrOpen = errors.New("others could reach the guard there, and no clients are named")

// clients returns the networks of other machines that may use the guard. If no network is named and
// other machines can reach Listen, it returns ErrOpen.
func (l *Limits) clients() (networks []netip.Prefix, err error) {
	for _, text := range l.Clients {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("clients %q: want a prefix of addresses, for example 10.20.0.0/16", text)
		}
		networks = append(networks, p.Masked())
	}
	host, _, err := net.SplitHostPort(l.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: want an address and a port, for example 127.0.0.1:3128",
			l.Listen)
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case host == "localhost":
	case err != nil && host != "":
		return nil, fmt.Errorf("listen on %q: want an address and a port, for example 127.0.0.1:3128",
			l.Listen)
	case !addr.IsLoopback() && len(networks) == 0:
		return nil, fmt.Errorf("listen on %q: %w", l.Listen, ErrOpen)
	}
	return networks, nil
}

const (
	// grace is how early a request may be and wait instead of being refused. A crawler that gives
	// up a request knows its end earlier than the guard.
	grace = 250 * time.Millisecond
	// dialTime is the longest time to connect to a server.
	dialTime = 10 * time.Second
	// clientHeaderTime and serverHeaderTime limit the time until the header of a request or an
	// answer is complete.
	clientHeaderTime = 10 * time.Second
	serverHeaderTime = 30 * time.Second
	// idleTime is how long a connection of a client, or a tunnel, may be idle.
	idleTime = 30 * time.Second

	mostRequestHeader = 32 << 10  // octets
	mostAnswerHeader  = 256 << 10 // octets
	mostRequestBody   = 64 << 10  // octets: the bodies of crawlers are small
)
