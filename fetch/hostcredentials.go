package fetch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/recrawl/recrawl/fetch/access"
)

// maxFile limits a file of credentials, in octets.
const maxFile = 64 << 10

// ReadCredentials reads the files that rules name. A file has these lines, empty lines and comments
// that begin with #:
//
//	user: NAME             with password: Basic authentication
//	password: TEXT
//	token: TEXT            instead: a bearer token
//	cookie: NAME=VALUE     instead or beside: a Cookie field
//	proxy-user: NAME       of the proxy
//	proxy-password: TEXT
//
// The error names the file and its fault. It is an access.UnsafeError if others may use the file.
func (t *HostTable) ReadCredentials() error {
	var all []error
	for _, s := range t.settings() {
		if s.file == "" {
			continue
		}
		if err := s.readCredentials(); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

func (t *HostTable) settings() []*HostSettings {
	var all []*HostSettings
	for _, in := range []map[string]*HostSettings{t.servers, t.domains} {
		for _, s := range in {
			all = append(all, s)
		}
	}
	if t.all != nil {
		all = append(all, t.all)
	}
	return all
}

func (s *HostSettings) readCredentials() error {
	content, err := access.ReadSecret(s.file, maxFile)
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("credentials %s: %s", s.file, fmt.Sprintf(format, args...))
	}
	values := map[string]string{}
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch name { // a line of unknown form may be a secret: the error does not show it
		case "user", "password", "token", "cookie", "proxy-user", "proxy-password":
		default:
			return bad("line %d is none of user, password, token, cookie, proxy-user and "+
				"proxy-password, with a colon behind", i+1)
		}
		if _, twice := values[name]; twice || !isFieldValue(value) {
			return bad("line %d: want each once, with 1 to %d printable ASCII characters",
				i+1, maxField)
		}
		values[name] = value
	}
	user, hasUser := values["user"]
	password, hasPassword := values["password"]
	token, hasToken := values["token"]
	proxyUser, hasProxyUser := values["proxy-user"]
	proxyPassword, hasProxyPassword := values["proxy-password"]
	switch {
	case len(values) == 0:
		return bad("it has none")
	case hasUser != hasPassword || hasProxyUser != hasProxyPassword:
		return bad("a user and a password belong together")
	case s.match == "*" && len(values) > len(ofProxy(values)):
		return bad("the rule of * would send them to every server: want one that names a host or " +
			"a domain")
	case hasUser && hasToken:
		return bad("want a user or a token, not both")
	case strings.Contains(user+proxyUser, ":"):
		return bad("a user has no colon (RFC 7617 2)")
	case hasProxyUser && s.proxy == nil:
		return bad("the rule of %s has no proxy", s.match)
	case hasProxyUser && !s.plain:
		return bad("they go to the proxy of %s in plain text: the rule must say plain-http: true",
			s.match)
	}
	if hasUser {
		s.header.Set("Authorization",
			"Basic "+base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	}
	if hasToken {
		s.header.Set("Authorization", "Bearer "+token)
	}
	if cookie := values["cookie"]; cookie != "" {
		s.header.Set("Cookie", cookie)
	}
	if hasProxyUser {
		s.proxy.User = url.UserPassword(proxyUser, proxyPassword)
	}
	return nil
}

func ofProxy(values map[string]string) (names []string) {
	for name := range values {
		if strings.HasPrefix(name, "proxy-") {
			names = append(names, name)
		}
	}
	return names
}
