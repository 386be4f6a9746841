package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/fetch/robots"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// ErrNoContact refuses a user agent without a contact of its operator.
var ErrNoContact = words.Hint(errors.New("the user agent names no contact: it must contain a web "+
	"address (http:// or https://) or a mail address"),
	`give one, for example --user-agent "mybot/1.0 (+https://example.org/bot)": site owners must be `+
		"able to reach you", words.ExitMisuse)

// ErrNoName refuses a user agent from which nobody can tell which name robots.txt is to be searched
// for: it names none but browsers, or several.
var ErrNoName = words.Hint(errors.New("it cannot be told which name in it is the one that "+
	"robots.txt is searched for"),
	"say which name it is, for example --robots-agent mybot", words.ExitMisuse)

// NoInterval as Options.Interval switches the pause between requests off. It is meant for
// one's own servers.
const NoInterval time.Duration = -1

// Options of a client. The zero value of every field but UserAgent means its default.
type Options struct {
	// UserAgent is sent with each request. It must contain a contact.
	UserAgent string

	// RobotsAgent is the product token that robots.txt and X-Robots-Tag are searched for. Default:
	// that of the user agent (see ProductOf), where it can be told from those of browsers.
	RobotsAgent string

	Clock Clock // default: WallClock

	// Asking is called before each request; with an error none is sent. May be nil.
	Asking func() error

	// Interval is the time from the end of a request to the start of the next one, for a
	// server and for an address. Default 10 s; NoInterval for none.
	Interval time.Duration

	// Hosts are settings of single servers; nil: none. A delay there replaces Interval, a proxy the
	// guard of addresses: then only ports and addresses named in links are judged.
	Hosts *HostTable

	MaxBody   int64 // octets of a page kept, decoded; default 2 MB
	MaxSource int64 // octets of a feed or sitemap; default 16 MB, room for 50,000 entries
	MaxHeader int64 // octets of an answer's header; default 128 KiB

	Timeout       time.Duration // of a request in all; default 60 s
	HeaderTimeout time.Duration // from the request to the end of the answer's header; default 15 s
	DialTimeout   time.Duration // of the connection, and again of the TLS handshake; default 10 s

	// AllowPrivate permits addresses that are not public and all ports: for one's own
	// servers only. The author of a page decides where its links lead.
	AllowPrivate  bool
	AllowNetworks []netip.Prefix // permitted though they are not public
	AllowPorts    []uint16       // permitted beside 80 and 443

	// RootCAs are trusted to sign certificates; nil: those of the system.
	RootCAs *x509.CertPool

	// Nameserver ("address:port") is asked instead of those of the system.
	Nameserver string

	// Resolve replaces DNS. The addresses it returns are guarded like any others.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	// Dial replaces the connection to addr ("address:port", already guarded). It may choose
	// another port; a connection to another address is refused.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Proxy is an HTTP proxy that all requests go through, as http://127.0.0.1:3128 (see
	// ParseProxy); nil: none. It is never taken from the environment. Names are looked up and
	// addresses guarded here all the same, and so are turns and pauses.
	Proxy *url.URL
	// Warn is told, at most once a minute each, what the user should know and no visit reports:
	// that the proxy is a recrawl guard and refused a request because a limit of its own was
	// exceeded; that no name server answers, and names that are not known wait. It is called by one
	// goroutine at a time for each.
	Warn func(error)

	// RobotsAnyHost follows redirects of robots.txt to any server (RFC 9309 2.3.1.2); without
	// it only those that stay on the site, hosts of one registered domain, count.
	RobotsAnyHost bool
	RobotsBytes   int64 // memory for robots.txt files; default 64 MB
	// RobotsFresh is how long a robots.txt holds before it is asked for again. Default, and most:
	// 24 h (RFC 9309 2.4).
	RobotsFresh time.Duration
	// MaxAge is the longest time between two visits to a page that the user allows. A robots.txt
	// that could not be had is asked for again as soon, whatever the server did before, unless it
	// asked for a longer wait. It is called concurrently; nil, or 0: there is no such time.
	MaxAge func(url string) time.Duration
	// KeepRobots makes Keep hand out what is read of robots.txt, and Recall take it in again.
	KeepRobots bool

	// Read reads bodies in place of the function Read, such as in a process of its own. Its error
	// makes the visit a failure that says so.
	Read func(context.Context, Reading) (Content, error)

	// Capture lets Listen take down what crosses the network. The body of every answer is then
	// read, also where nothing but the status is needed. HTTP/1.1 and gzip alone are used, which
	// all tools read. Without it HTTP/2 is used where a server offers it with TLS, and br and zstd
	// are asked for, too.
	Capture bool

	// Rules say what of a page counts, by its address (extract.Options.Rule); nil: all does.
	Rules *extract.Rules

	// Documents are the forms of documents that are pages beside HTML: links to them are taken, and
	// their content is their text. MaxSource bounds a file of PDF or office.
	Documents extract.Forms

	// Watch returns the rules by which a page is watched: what they leave of it becomes
	// Observation.Watched. It is called concurrently; nil: no page is watched.
	Watch func(url string) []*extract.Rule
	// Named reports whether a rule names the page itself. Then also a feed or sitemap is read as a
	// page there, and nothing else that names it makes it a source. It is called concurrently; nil:
	// none does.
	Named func(url string) bool

	// Filters reject pages that the user does not want; nil: none does. Who opened them closes
	// them when no visit is under way.
	Filters *filter.Set

	// SoftMissing finds pages that are gone though the server answers 200 (see missing.go). For
	// that it asks now and then for an address that cannot exist.
	SoftMissing bool

	// Main makes Digests.Main, which takes half of the work on a page; without it that is zero.
	Main bool
}

const (
	defaultInterval      = 10 * time.Second
	defaultMaxBody       = 2_000_000
	defaultMaxSource     = 16_000_000
	defaultMaxHeader     = 128 << 10
	defaultTimeout       = 60 * time.Second
	defaultHeaderTimeout = 15 * time.Second
	defaultDialTimeout   = 10 * time.Second
	defaultRobotsBytes   = 64_000_000
)

// MostBytes is what any visit may take with a MaxBody, and a MaxSource by default: a page or a
// source as large as is kept, the header, and robots.txt, as they come over the network.
func MostBytes(maxBody int64) int64 { return max(maxBody, defaultMaxSource) + 2<<20 }

// CheckAgent says why a user agent would be refused: it names no contact, or no name for
// robots.txt.
func CheckAgent(agent string) error {
	_, err := Options{UserAgent: agent}.withDefaults()
	return err
}

// withDefaults returns o complete, or says which field makes no sense.
func (o Options) withDefaults() (Options, error) {
	if !hasContact(o.UserAgent) {
		return o, fmt.Errorf("user agent %q: %w", o.UserAgent, ErrNoContact)
	}
	if o.RobotsAgent == "" {
		o.RobotsAgent = ProductOf(o.UserAgent)
	}
	switch {
	case o.RobotsAgent == "":
		return o, fmt.Errorf("user agent %q: %w", o.UserAgent, ErrNoName)
	case robots.Product(o.RobotsAgent) != strings.ToLower(o.RobotsAgent):
		return o, fmt.Errorf("the name for robots.txt, %q, is not one of letters, '-' and '_'",
			o.RobotsAgent)
	}
	o.RobotsAgent = strings.ToLower(o.RobotsAgent)
	if strings.ContainsFunc(o.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		return o, fmt.Errorf("user agent %q has characters that a header cannot carry", o.UserAgent)
	}
	if o.Clock == nil {
		o.Clock = WallClock{}
	}
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	if o.Read == nil {
		o.Read = Read
	}
	o.Interval = max(o.Interval, 0)
	o.MaxBody = orDefault(o.MaxBody, defaultMaxBody)
	o.MaxSource = orDefault(o.MaxSource, defaultMaxSource)
	o.MaxHeader = orDefault(o.MaxHeader, defaultMaxHeader)
	o.Timeout = orDefault(o.Timeout, defaultTimeout)
	o.HeaderTimeout = orDefault(o.HeaderTimeout, defaultHeaderTimeout)
	o.DialTimeout = orDefault(o.DialTimeout, defaultDialTimeout)
	o.RobotsBytes = orDefault(o.RobotsBytes, defaultRobotsBytes)
	o.RobotsFresh = min(orDefault(o.RobotsFresh, maxRobotsFresh), maxRobotsFresh)
	if o.MaxBody < 0 || o.MaxSource < 0 || o.MaxHeader < 0 || o.Timeout < 0 ||
		o.HeaderTimeout < 0 ||
		o.DialTimeout < 0 ||
		o.RobotsBytes < 0 || o.RobotsFresh < 0 {
		return o, errors.New("a limit or time-out is negative")
	}
	return o, nil
}

func orDefault[T int64 | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}

var (
	webContact  = regexp.MustCompile(`(?i)https?://[a-z0-9\[][^\s]`)
	mailContact = regexp.MustCompile(`[^\s@<>();,]@[A-Za-z0-9-]+\.[A-Za-z0-9]`)
)

func hasContact(userAgent string) bool {
	return webContact.MatchString(userAgent) || mailContact.MatchString(userAgent)
}
