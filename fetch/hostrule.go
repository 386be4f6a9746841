package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// MaxHostRules limits the number of rules.
	MaxHostRules = 10_000
	// maxFields and maxField limit the fields that a rule adds to a request, and the octets of
	// each. Many servers refuse headers above 8 KB.
	maxFields = 32
	maxField  = 4 << 10
	// maxDelay limits a delay.
	maxDelay = 24 * time.Hour
)

// HostRule is the entry of a settings file for the servers that match a pattern.
type HostRule struct {
	Match       string
	Delay       *time.Duration    // least time between two requests; nil: as usual
	Headers     map[string]string // sent with each request
	Credentials string            // name of a file, see ReadCredentials; "": none
	Proxy       string            // http://host:port or socks5://host:port; "": none
	// PlainHTTP lets headers and credentials go over http://, where anybody on the way can read
	// them, and credentials of a proxy over its unencrypted connection.
	PlainHTTP bool `mapstructure:"plain-http"`
}

// HostProblem describes what is wrong with a rule.
type HostProblem struct {
	Rule  string // pattern of the rule, or its place in the list
	Value string
	Want  string
}

// HostTable holds rules by pattern. A nil HostTable has none.
//
// A rule sets the pause, additional header fields and the proxy of single servers. NewHostTable
// reads rules, ReadCredentials reads the files that they name, and Of returns the settings of a
// server.
//
// # Terms
//
//	server       host or host:port, as sitegraph.ServerName has it
//	pattern      which servers a rule means: "example.org:8080" that port, "example.org" all ports of
//	             the host, "*.example.org" the hosts below it, "*" all
//	credentials  what proves to a server who asks: a name and password, a token, a cookie
//
// # Guarantees
//
//  1. The most specific rule alone holds for a server: host with port before host, host before the
//     longest domain, and that before "*".
//  2. Header returns what the rule of a server says, for that server alone. Over plain HTTP it
//     returns nothing, unless the rule says so.
//  3. Credentials come from files that only their owner can read or write, never from the rules
//     themselves. No error and no text of a HostSettings shows them.
//  4. A rule cannot set a header field that HTTP, politeness or the visit itself needs, for example
//     Host, User-Agent or If-None-Match.
//  5. Bounds: MaxHostRules rules, maxFields fields each, maxField octets a field, maxFile a file.
//
// A Client calls Of for each request, so that a redirect to another server follows the rule of that
// server. The environment is not read.
//
// Goroutines may share a HostTable once ReadCredentials has returned.
//
// Sources: RFC 9110 5 (fields), 11.6 (Authorization, Proxy-Authorization); RFC 7617 (Basic); RFC
// 6750 2.1 (Bearer).
type HostTable struct {
	servers map[string]*HostSettings // host or host:port
	domains map[string]*HostSettings // without "*."
	all     *HostSettings
}

// NewHostTable reads rules and returns all problems with them. It opens no file.
func NewHostTable(rules []HostRule) (*HostTable, []HostProblem) {
	t := &HostTable{servers: map[string]*HostSettings{}, domains: map[string]*HostSettings{}}
	if len(rules) > MaxHostRules {
		return t, []HostProblem{{"", fmt.Sprint(len(rules), " rules"),
			fmt.Sprint(MaxHostRules, " at most")}}
	}
	var problems []HostProblem
	for i := range rules {
		r := &rules[i]
		name := r.Match
		if name == "" {
			name = fmt.Sprintf("rule %d", i+1)
		}
		refuse := func(value, want string) {
			problems = append(problems, HostProblem{name, value, want})
		}
		s := &HostSettings{match: r.Match, file: r.Credentials, plain: r.PlainHTTP,
			header: http.Header{}}
		if !t.add(r.Match, s) {
			refuse("match "+r.Match, "a host, a host with a port, *.DOMAIN or *, each once")
		}
		if r.Delay != nil {
			if *r.Delay < 0 || *r.Delay > maxDelay {
				refuse("delay "+r.Delay.String(), "0s to 24h")
			}
			s.delay, s.hasDelay = *r.Delay, true
		}
		if len(r.Headers) > maxFields {
			refuse(fmt.Sprint(len(r.Headers), " headers"), fmt.Sprint(maxFields, " at most"))
		}
		for field, value := range r.Headers { // values may be secret: they are not shown
			if want := fieldProblem(field, value); want != "" {
				refuse("header "+field, want)
			}
			s.header.Set(field, value)
		}
		if strings.HasPrefix(r.Credentials, "~/") {
			refuse("credentials "+r.Credentials, "the whole path: ~ is not replaced here")
		}
		if r.Proxy != "" {
			var err error
			if s.proxy, err = parseProxy(r.Proxy); err != nil {
				refuse("proxy", err.Error())
			}
		}
	}
	return t, problems
}

// add stores settings under a pattern. It returns false if the pattern is invalid or already there.
func (t *HostTable) add(match string, s *HostSettings) bool {
	if match == "*" {
		if t.all != nil {
			return false
		}
		t.all = s
		return true
	}
	in := t.servers
	name, isDomain := strings.CutPrefix(match, "*.")
	if isDomain {
		in = t.domains
	}
	scheme := "http://"
	if strings.HasSuffix(name, ":443") {
		scheme = "https://" // the default port
	}
	address, err := sitegraph.Canonical(scheme + name + "/")
	server := sitegraph.ServerName(address)
	if err != nil || strings.ContainsAny(name, "@/?#*") || isDomain &&
		strings.ContainsAny(name, ":[") {
		return false
	}
	if _, known := in[server]; known {
		return false
	}
	in[server] = s
	return true
}

// ownFields lists fields that a rule cannot set: HTTP or a visit sets them.
var ownFields = []string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect",
	"Host",
	"Keep-Alive", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// secretFields lists fields that belong in a file of credentials.
var secretFields = []string{"Authorization", "Cookie", "Proxy-Authorization"}

// fieldProblem describes the fault of a header field, or returns "".
func fieldProblem(name, value string) (want string) {
	key := http.CanonicalHeaderKey(name)
	switch {
	case name == "" || strings.ContainsFunc(name, notOfToken):
		return "a name of letters, digits and hyphens"
	case slices.Contains(secretFields, key):
		return "it in a file that credentials names, as a line of user, token or cookie"
	case slices.Contains(ownFields, key), strings.HasPrefix(key, "If-"),
		strings.HasPrefix(key, "Proxy-"):
		return "a field that is not recrawl's own"
	case strings.Contains(value, "${"):
		return "a value as it stands: variables are not replaced here"
	case !isFieldValue(value):
		return fmt.Sprintf("a value of 1 to %d printable ASCII characters", maxField)
	}
	return ""
}

// notOfToken reports whether a character may not stand in the name of a field (RFC 9110 5.6.2).
func notOfToken(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

func isFieldValue(value string) bool {
	return value != "" && len(value) <= maxField && strings.TrimSpace(value) == value &&
		!strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

func parseProxy(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "socks5" || u.Hostname() == "" ||
		u.Port() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("http://HOST:PORT or socks5://HOST:PORT")
	}
	if u.User != nil {
		return nil, errors.New("its user and password in a file that credentials names, as lines " +
			"of proxy-user and proxy-password")
	}
	u.Path = ""
	return u, nil
}

// Of returns the settings of a server, host or host:port in lower case, or nil if no rule matches
// it.
func (t *HostTable) Of(server string) *HostSettings {
	if t == nil {
		return nil
	}
	if s := t.servers[server]; s != nil {
		return s
	}
	host := server
	if colon := strings.LastIndexByte(server, ':'); colon > strings.LastIndexByte(server, ']') {
		host = server[:colon]
	}
	if s := t.servers[host]; s != nil {
		return s
	}
	if _, err := netip.ParseAddr(host); err != nil { // addresses have no domains
		for rest := host; ; {
			_, below, more := strings.Cut(rest, ".")
			if !more {
				break
			}
			if s := t.domains[below]; s != nil {
				return s
			}
			rest = below
		}
	}
	return t.all
}
