package access

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// OwnNames are the names of a listener: localhost, all addresses of loopback, its own address and
// the names of the user. A listener at every address of the machine has all addresses and the
// machine's name.
//
// Host and Origin of a request must name the listener. Otherwise a web page whose name was
// redirected to this machine (DNS rebinding) could reach it from a browser as its own server.
type OwnNames struct {
	at    netip.Addr
	given map[string]bool
}

// OwnNamesAt returns the names of a listener at an address; nil means loopback alone. Ports in
// names of the user are ignored.
func OwnNamesAt(at net.Addr, given ...string) *OwnNames {
	n := &OwnNames{at: netip.IPv6Loopback(), given: map[string]bool{}}
	if tcp, ok := at.(*net.TCPAddr); ok {
		n.at = tcp.AddrPort().Addr().Unmap()
	}
	if n.at.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			given = append(given[:len(given):len(given)], name)
		}
	}
	for _, name := range given {
		if host, ok := hostOf(name); ok {
			n.given[host] = true
		}
	}
	return n
}

// Has reports whether a Host field names this listener. It ignores the port, because a proxy may
// have another.
func (n *OwnNames) Has(hostPort string) bool {
	host, ok := hostOf(hostPort)
	if !ok {
		return false
	}
	if host == "localhost" || n.given[host] {
		return true
	}
	a, err := netip.ParseAddr(host)
	a = a.Unmap()
	return err == nil && (a.IsLoopback() || a == n.at || n.at.IsUnspecified())
}

// Refusal returns why a request for a Host is refused.
func (n *OwnNames) Refusal(hostPort string) string {
	where := "an address of loopback"
	switch {
	case n.at.IsUnspecified():
		where = "its addresses"
	case !n.at.IsLoopback():
		where = n.at.String()
	}
	return "this server answers under " + where + " and under names given with --listen-name, " +
		"not under " + strconv.QuoteToASCII(hostPort)
}

// Guard passes on requests that name this listener. It refuses requests that may change something
// if a browser sends them for a page of another origin.
func (n *OwnNames) Guard(next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !n.Has(r.Host) {
			http.Error(w, n.Refusal(r.Host), http.StatusMisdirectedRequest)
			return
		}
		if sameOrigin.Check(r) != nil {
			http.Error(w, "the request came from another origin", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// CheckOwnName returns what is wrong with a name of the user, or "".
func CheckOwnName(name string) (want string) {
	if host, ok := hostOf(name); !ok || strings.ContainsAny(host, "/@ \t*") {
		return "the name of a host, for example crawl.example.org"
	}
	return ""
}

// hostOf returns the host of a Host field in lower case, or false without a host or with a bad
// port.
func hostOf(hostPort string) (string, bool) {
	host := hostPort
	if h, port, err := net.SplitHostPort(hostPort); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
		host = h
	} else if inner, ok := strings.CutPrefix(host, "["); ok {
		if host, ok = strings.CutSuffix(inner, "]"); !ok {
			return "", false
		}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host, host != ""
}
