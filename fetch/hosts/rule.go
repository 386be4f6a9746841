package hosts

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
	// MaxRules bounds the rules.
	MaxRules = 10_000
	// maxFields and maxField bound what a rule adds to a request: fields, and octets of each. Many
	// servers refuse headers above 8 KB.
	maxFields = 32
	maxField  = 4 << 10
	// maxDelay bounds a delay.
	maxDelay = 24 * time.Hour
)

// Rule is what a file of settings says of the servers that a pattern means.
type Rule struct {
	Match       string
	Delay       *time.Duration    // least time between two requests; nil: as usual
	Headers     map[string]string // sent with each request
	Credentials string            // name of a file, see ReadCredentials; "": none
	Proxy       string            // http://host:port or socks5://host:port; "": none
	// PlainHTTP lets headers and credentials go over http://, where anybody on the way can read
	// them, and those of a proxy over its unencrypted connection.
	PlainHTTP bool `mapstructure:"plain-http"`
}

// Problem is what is wrong with a rule.
type Problem struct {
	Rule  string // its pattern, or its place in the list
	Value string
	Want  string
}

// Table are rules by pattern. A nil Table has none.
type Table struct {
	servers map[string]*Settings // host or host:port
	domains map[string]*Settings // without "*."
	all     *Settings
}

// New reads rules and returns all that is wrong with them. Files are not opened.
func New(rules []Rule) (*Table, []Problem) {
	t := &Table{servers: map[string]*Settings{}, domains: map[string]*Settings{}}
	if len(rules) > MaxRules {
		return t, []Problem{{"", fmt.Sprint(len(rules), " rules"),
			fmt.Sprint(MaxRules, " at most")}}
	}
	var problems []Problem
	for i := range rules {
		r := &rules[i]
		name := r.Match
		if name == "" {
			name = fmt.Sprintf("rule %d", i+1)
		}
		refuse := func(value, want string) {
			problems = append(problems, Problem{name, value, want})
		}
		s := &Settings{match: r.Match, file: r.Credentials, plain: r.PlainHTTP,
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
		for field, value := range r.Headers { // no value is shown: it may be secret
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

// add puts settings under a pattern; false: it is none, or there already.
func (t *Table) add(match string, s *Settings) bool {
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
		scheme = "https://" // the port that goes without saying
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

// ownFields are those that a rule cannot set: what HTTP needs, and what a visit says itself.
var ownFields = []string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect",
	"Host",
	"Keep-Alive", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// secretFields are for a file of credentials.
var secretFields = []string{"Authorization", "Cookie", "Proxy-Authorization"}

// fieldProblem is what is wrong with a header field; "": nothing.
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

// notOfToken reports whether a character cannot be in the name of a field (RFC 9110 5.6.2).
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

// Of returns what holds for a server, host or host:port in lower case; nil: nothing is said of it.
func (t *Table) Of(server string) *Settings {
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
