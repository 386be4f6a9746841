package access

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// OwnNames are the names under which a listener answers: localhost and all addresses of loopback;
// the address that it listens at, or where that is every one of the machine any address, which
// cannot be made to lead elsewhere, and the name of the machine; and names that the user gave.
//
// They tell by the Host and Origin of a request whether it is meant for this listener. A web page
// whose name was made to lead to this machine (DNS rebinding) reaches it from a browser as if it
// were its own server; its Host tells.
type OwnNames struct {
	at    netip.Addr
	given map[string]bool
}

// OwnNamesAt returns the names of a listener at an address, nil for loopback alone. Names of the
// user may have a port, which does not count.
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

// Has reports whether a Host field names this listener. Its port does not matter: what forwards
// requests may listen at another one.
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

// Refusal says why a request for a Host is not answered.
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

// Guard lets requests through that name this listener, and of those that may change something none
// that a browser sends for a page of another origin.
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

// CheckOwnName says what is wrong with a name that a user gives; "": nothing.
func CheckOwnName(name string) (want string) {
	if host, ok := hostOf(name); !ok || strings.ContainsAny(host, "/@ \t*") {
		return "the name of a host, as crawl.example.org"
	}
	return ""
}

// hostOf is the host of a Host field, in small letters; false: it has none, or a bad port.
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
