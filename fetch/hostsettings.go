package fetch

import (
	"maps"
	"net/http"
	"net/url"
	"time"
)

// HostSettings holds the settings of a rule. A nil HostSettings has none.
type HostSettings struct {
	match    string
	file     string
	delay    time.Duration
	hasDelay bool
	plain    bool
	header   http.Header // credentials included
	proxy    *url.URL    // with its credentials
}

// String returns the pattern of the rule, and no secret.
func (s *HostSettings) String() string { return s.match }

// Delay returns the least time between two requests to the server; usual is that without a rule.
func (s *HostSettings) Delay(usual time.Duration) time.Duration {
	if s == nil || !s.hasDelay {
		return usual
	}
	return s.delay
}

// AddTo adds the fields of the rule to the header of a request with this scheme. It returns the
// names of the fields whose values are secret.
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

// Proxy returns the proxy through which the server is asked, or nil. Callers must not change it.
func (s *HostSettings) Proxy() *url.URL {
	if s == nil {
		return nil
	}
	return s.proxy
}
