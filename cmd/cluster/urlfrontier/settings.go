package urlfrontier

import (
	"errors"
	"fmt"
	"net"

	"github.com/recrawl/recrawl/fetch/access"
)

// Settings are the settings that a user gives.
type Settings struct {
	Listen         string // host:port
	TokenFile      string // file of mode 0600 with the token; "": no token
	Certificate    string // PEM file; "": no TLS
	CertificateKey string // PEM file
	Web            string // host:port for HTTP with JSON; "": none
	RankBy         string // policy that orders URLs; none: by date
}

// ErrOpen is the error of settings with which any machine could call the server.
var ErrOpen = errors.New("without a token the frontier listens only to this machine")

// Check reads the files that the settings name. It returns an error if settings contradict others.
func (o *Options) Check() error {
	var err error
	if o.address, err = net.ResolveTCPAddr("tcp", o.Listen); err != nil {
		return fmt.Errorf("listen at %q: %w", o.Listen, err)
	}
	if o.Web != "" {
		if o.web, err = net.ResolveTCPAddr("tcp", o.Web); err != nil {
			return fmt.Errorf("listen at %q: %w", o.Web, err)
		}
	}
	switch {
	case o.TokenFile != "":
		if o.token, err = access.Token(o.TokenFile); err != nil {
			return err
		}
	case !o.address.IP.IsLoopback():
		return fmt.Errorf("listen at %s: %w", o.Listen, ErrOpen)
	case o.web != nil && !o.web.IP.IsLoopback():
		return fmt.Errorf("listen at %s: %w", o.Web, ErrOpen)
	}
	o.tls, err = access.TLSConfig(o.Certificate, o.CertificateKey)
	return err
}
