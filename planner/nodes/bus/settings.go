package bus

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/fetch/secret"
)

// Settings are those of a user.
type Settings struct {
	Cluster   string   `default:"recrawl" help:"name of the crawl, the same on all nodes: letters, digits, - and _"`
	NATS      string   `help:"address of NATS servers that run already, as nats://10.0.0.1:4222; none: the node runs one itself"`
	Listen    string   `default:"127.0.0.1:7422" help:"address and port at which the node's own server listens to recrawl node status; one that others can reach needs --token-file"`
	Routes    []string `help:"addresses of the servers of all nodes, as 10.0.0.1:7423,10.0.0.2:7423,10.0.0.3:7423; none: one node"`
	RouteAt   string   `key:"route-at" help:"address and port at which the node's own server listens to those of other nodes, as 10.0.0.1:7423"`
	Replicas  int      `range:"[0,5]" help:"copies of what nodes agree on: 1, 3 or 5; 0: 3 with three routes or more, 5 with five, else 1"`
	Space     int64    `default:"64000000000" range:"[1000000000,)" want:"1000000000 bytes or more" help:"bytes of --data that the node's own server may take, as for copies and logs of the shards' stores; when they are used up shards wait"`
	TokenFile string   `key:"token-file" help:"file, of mode 0600, with a word of 16 bytes or more that nodes and recrawl node status send; all have the same"`
}

// ErrOpen says that anybody could take part.
var ErrOpen = errors.New("without a token the server listens to this machine alone")

var name = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Name reports whether a text can be the name of a node or cluster.
func Name(s string) bool { return name.MatchString(s) }

// Check refuses settings that do not fit together, or whose files cannot be read.
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
		if token, err = secret.Token(s.TokenFile); err != nil {
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

// copies is how many servers keep what nodes agree on.
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
