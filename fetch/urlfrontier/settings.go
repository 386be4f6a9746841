package urlfrontier

import (
	"errors"
	"fmt"
	"net"

	"github.com/recrawl/recrawl/fetch/certificate"
	"github.com/recrawl/recrawl/fetch/secret"
)

// Settings are those of a user.
type Settings struct {
	Listen         string `default:"127.0.0.1:7071" help:"address and port to listen on; one that others can reach needs --token-file"`
	TokenFile      string `key:"token-file" help:"file, of mode 0600, with the token that callers must send; none: this machine may call, without one"`
	Certificate    string `help:"PEM file with the certificate of the server, for TLS; none: no encryption"`
	CertificateKey string `key:"certificate-key" help:"PEM file with its key"`
	Web            string `help:"address and port at which the same is served by HTTP with JSON, as 127.0.0.1:7072; none: it is not"`
	RankBy         string `key:"rank-by" default:"{policy}" help:"policy that ranks addresses of which the crawler tells outcomes; none: all come by date"`
}

// ErrOpen says that anybody could call the server.
var ErrOpen = errors.New("without a token the frontier listens to this machine alone")

// Check reads the files that the settings name, and refuses settings that do not fit together.
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
		if o.token, err = secret.Token(o.TokenFile); err != nil {
			return err
		}
	case !o.address.IP.IsLoopback():
		return fmt.Errorf("listen at %s: %w", o.Listen, ErrOpen)
	case o.web != nil && !o.web.IP.IsLoopback():
		return fmt.Errorf("listen at %s: %w", o.Web, ErrOpen)
	}
	o.tls, err = certificate.Config(o.Certificate, o.CertificateKey)
	return err
}
