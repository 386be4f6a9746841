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

// ErrNoName refuses a user agent in which the name for robots.txt is unclear: it names only
// browsers, or several bots.
var ErrNoName = words.Hint(errors.New("it does not show clearly which name "+
	"to look for in robots.txt"),
	"say which name it is, for example --robots-agent mybot", words.ExitMisuse)

// NoInterval as Options.Interval means no pause between requests. It is meant for one's own
// servers.
const NoInterval time.Duration = -1

// Options configure a Client. The zero value of every field except UserAgent means its default.
type Options struct {
	// UserAgent is sent with each request. It must contain a contact.
	UserAgent string

	// RobotsAgent is the product token to look for in robots.txt and X-Robots-Tag. Default: that of
	// the user agent, if it is clear (see ProductOf).
	RobotsAgent string

	Clock Clock // default: WallClock

	// Asking is called before each request. If it returns an error no request is sent. It may be
	// nil.
	Asking func() error

	// Interval is the time from the end of a request to the start of the next one, for a
	// server and for an address. Default 10 s; NoInterval for none.
	Interval time.Duration

	// Hosts has settings of single servers, or is nil. A delay there replaces Interval. A proxy
	// there replaces the guard of addresses: then only ports and addresses in links are checked.
	Hosts *HostTable

	MaxBody   int64 // octets of a page kept, decoded; default 2 MB
	MaxSource int64 // octets of a feed or sitemap; default 16 MB, room for 50,000 entries
	MaxHeader int64 // octets of an answer's header; default 128 KiB

	Timeout       time.Duration // of a request in all; default 60 s
	HeaderTimeout time.Duration // from the request to the end of the answer's header; default 15 s
	DialTimeout   time.Duration // of the connection, and again of the TLS handshake; default 10 s

	// AllowPrivate permits addresses that are not public and all ports: for one's own servers only,
	// because the authors of pages choose where links lead.
	AllowPrivate  bool
	AllowNetworks []netip.Prefix // permitted although not public
	AllowPorts    []uint16       // permitted besides 80 and 443

	// RootCAs sign certificates that the client trusts; nil means those of the system.
	RootCAs *x509.CertPool

	// Nameserver ("address:port") replaces the name servers of the system.
	Nameserver string

	// Resolve replaces DNS. The guard checks the addresses that it returns.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	// Dial replaces the connection to addr ("address:port", already checked). It may choose another
	// port. A connection to another address is refused.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Proxy is the HTTP proxy for all requests, such as http://127.0.0.1:3128 (see ParseProxy), or
	// nil. It never comes from the environment. The client still looks up names, guards addresses,
	// and keeps turns and pauses.
	Proxy *url.URL
	// Warn is called, at most once a minute for each of two troubles that no visit reports. A proxy
	// that is a recrawl guard refused a request over one of its limits; or no name server answers,
	// and unknown names wait. One goroutine at a time calls it for each.
	Warn func(error)

	// RobotsAnyHost follows redirects of robots.txt to any server (RFC 9309 2.3.1.2). Otherwise the
	// target must be on the site: on a host of the same registered domain.
	RobotsAnyHost bool
	RobotsBytes   int64 // memory for robots.txt files; default 64 MB
	// RobotsFresh is how long a robots.txt is valid. Default and maximum: 24 h (RFC 9309 2.4).
	RobotsFresh time.Duration
	// MaxAge returns the longest time between two visits to a page that the user allows; nil or 0
	// means none. An unreachable robots.txt is asked for again as soon, unless its server asked for
	// a longer wait. It is called concurrently.
	MaxAge func(url string) time.Duration
	// KeepRobots lets Keep hand out what was read of robots.txt, and Recall read it again.
	KeepRobots bool

	// Read replaces the function Read, for example to parse bodies in a separate process. Its error
	// makes the visit a failure with that text.
	Read func(context.Context, Reading) (Content, error)

	// Capture lets Listen record what crosses the network. Then the body of every answer is read,
	// also if the status alone matters, and only HTTP/1.1 and gzip are used, which all tools read.
	// Without it HTTP/2 is used over TLS where servers offer it, and br and zstd are accepted.
	Capture bool

	// Rules select the parts of a page that count, by its URL (extract.Options.Rule); nil: all
	// parts.
	Rules *extract.Rules

	// Documents are the forms of documents that count as pages besides HTML. Links to them are
	// taken, and their text is their content. MaxSource limits a PDF or office file.
	Documents extract.Forms

	// Watch returns the rules that watch a page. The parts that they select become
	// Observation.Watched. It is called concurrently; nil: no page is watched.
	Watch func(url string) []*extract.Rule
	// Named reports whether a watch rule names this very page. Then a feed or sitemap there is read
	// as a page, and nothing else makes it a source. It is called concurrently; nil: no page is
	// named.
	Named func(url string) bool

	// Filters reject unwanted pages, or is nil. The caller closes them when no visit is in flight.
	Filters *filter.Set

	// SoftMissing finds missing pages of servers that answer 200 for them (see missing.go). For
	// that the client sometimes asks for a URL that cannot exist.
	SoftMissing bool

	// Main makes Digests.Main, which takes half of the work on a page. Without it that digest is
	// zero.
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

// MostBytes returns the most octets that a visit may transfer with this MaxBody and the default
// MaxSource: the largest page or source that is kept, the header and robots.txt.
func MostBytes(maxBody int64) int64 { return max(maxBody, defaultMaxSource) + 2<<20 }

// CheckAgent returns an error if a user agent names no contact, or no clear name for robots.txt.
func CheckAgent(agent string) error {
	_, err := Options{UserAgent: agent}.withDefaults()
	return err
}

// withDefaults returns o with its defaults, or an error that names the wrong field.
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
