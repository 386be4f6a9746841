package fetch

import (
	"maps"
	"net/http"
	"net/url"
	"time"
)

// HostSettings are what a rule says of its servers. A nil HostSettings says nothing.
type HostSettings struct {
	match    string
	file     string
	delay    time.Duration
	hasDelay bool
	plain    bool
	header   http.Header // credentials included
	proxy    *url.URL    // with its credentials
}

// String is the pattern of the rule, and nothing that is secret.
func (s *HostSettings) String() string { return s.match }

// Delay is the least time between two requests to the server, given the usual one.
func (s *HostSettings) Delay(usual time.Duration) time.Duration {
	if s == nil || !s.hasDelay {
		return usual
	}
	return s.delay
}

// AddTo adds the fields of the rule to the header of a request to its server under a scheme, and
// returns their names, whose values are secret.
func (s *HostSettings) AddTo(header http.Header, scheme string) (secret []string) {
	if s == nil || scheme != "https" && !s.plain {
		return nil
	}
	maps.Copy(header, s.header)
	for name := range s.header {
		secret = append(secret, name)
	}
	return secret
}

// Proxy is that through which the server is asked; nil: none. It is not to be changed.
func (s *HostSettings) Proxy() *url.URL {
	if s == nil {
		return nil
	}
	return s.proxy
}
