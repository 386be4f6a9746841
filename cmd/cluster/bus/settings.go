package bus

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/fetch/access"
)

// Settings are the settings of a user.
type Settings struct {
	Cluster   string   // name of the crawl, the same on all nodes: letters, digits, - and _
	NATS      string   // address of running NATS servers; "": the node runs a server
	Listen    string   // of the node's own server, host:port
	Routes    []string // addresses of the servers of all nodes; none: a single node
	RouteAt   string   // where the node's own server listens to other servers
	Replicas  int      // copies of the agreements of the nodes; 0: by the number of routes
	Space     int64    // bytes of disk for the node's own server
	TokenFile string   // of mode 0600; "": none is sent
}

// ErrOpen is the error of settings that would let anybody take part.
var ErrOpen = errors.New("without a token the server listens to this machine alone")

var name = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Name reports whether a text can be the name of a node or cluster.
func Name(s string) bool { return name.MatchString(s) }

// Check refuses settings that contradict each other, or whose files cannot be read.
func (s Settings) Check() error {
	_, err := s.check()
	return err
}

// check also reads the token.
func (s Settings) check() (token string, err error) {
	if !Name(s.Cluster) {
		return "", fmt.Errorf("cluster %q: want letters, digits, - and _", s.Cluster)
	}
	if s.TokenFile != "" {
		if token, err = access.Token(s.TokenFile); err != nil {
			return "", err
		}
	}
	if s.NATS != "" {
		return token, nil
	}
	for _, at := range []string{s.Listen, s.RouteAt} {
		if at == "" {
			continue
		}
		a, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			return "", fmt.Errorf("listen at %q: %w", at, err)
		}
		if !a.IP.IsLoopback() && token == "" {
			return "", fmt.Errorf("listen at %s: %w", at, ErrOpen)
		}
	}
	if len(s.Routes) > 0 && s.RouteAt == "" {
		return "", errors.New("--routes needs --route-at: where this node is reached by the others")
	}
	switch s.Replicas {
	case 0, 1, 3, 5:
	default:
		return "", fmt.Errorf("%d copies have no majority: 1, 3 or 5", s.Replicas)
	}
	return token, nil
}

// copies returns the number of servers that keep the agreements of the nodes.
func (s Settings) copies() int {
	switch n := len(s.Routes); {
	case s.Replicas > 0:
		return s.Replicas
	case n >= 5:
		return 5
	case n >= 3:
		return 3
	}
	return 1
}

func hostPort(at string) (string, int) {
	host, port, _ := net.SplitHostPort(at)
	n, err := strconv.Atoi(port)
	if err != nil || n == 0 {
		n = -1 // any
	}
	return strings.Trim(host, "[]"), n
}
