package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// M01: hosts that are asked once, and answer or fail, leave a bounded state behind.
// TestGateForgets, TestRobotsCacheIsBounded, TestKeptRobotsAreBounded, TestResolverKeepsSoMuch and
// TestSuspectsAreBounded check each part with more hosts.
func TestManyHostsAskedOnce(t *testing.T) {
	const each, robotsBound = 700, 100 * entryBytes
	kinds := map[string]sitegraph.Outcome{
		"well":   sitegraph.OutcomeFetched,
		"broken": sitegraph.OutcomeFailed, // 500 also for robots.txt
		"silent": sitegraph.OutcomeFailed, // nobody listens at its address
		"lost":   sitegraph.OutcomeFailed, // its name has no address
	}
	for kind, want := range kinds {
		w := newWeb(t, "all.example", "0.0.0.0")
		w.handle("/", func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case kind == "broken":
				rw.WriteHeader(500)
			case r.URL.Path == "/robots.txt":
				fmt.Fprint(rw, "User-agent: *\nDisallow: /x\n")
			default:
				rw.Header().Set("Content-Type", "text/html")
				fmt.Fprint(rw, "<p>x")
			}
		})
		for i := range each {
			if kind != "lost" {
				w.hosts[fmt.Sprintf("h%d.example", i)] = netip.AddrFrom4([4]byte{127, 3,
					byte(i >> 8), byte(i)})
			}
		}
		c := w.client(func(o *Options) {
			o.RobotsBytes = robotsBound
			if kind != "silent" {
				o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
					host, _, _ := net.SplitHostPort(addr)
					return new(net.Dialer).DialContext(ctx, network,
						net.JoinHostPort(host, w.ports[w.hosts["all.example"]]))
				}
			}
		})
		for i := range each {
			if o := w.get(c, fmt.Sprintf("http://h%d.example/", i)); o.Outcome != want {
				t.Fatalf("%s: host %d: %v %q", kind, i, o.Outcome, o.Detail)
			}
			w.clock.advance(c.Interval())
		}
		if n := c.gate.Len(); n > minSweep {
			t.Errorf("%s: the gate remembers %d servers and addresses of %d hosts, of which 2 "+
				"hold anybody up", kind, n, each)
		}
		if r := c.robots; r.bytes > robotsBound || len(r.entries) > 100 ||
			len(r.under)+len(r.asking) > 0 || r.recalled.bytes > 0 {
			t.Errorf("%s: %d octets in %d entries of robots.txt, %d begun",
				kind, r.bytes, len(r.entries), len(r.under)+len(r.asking))
		}
	}
}
