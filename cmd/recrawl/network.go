package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/sitegraph"
)

// checkNetwork refuses settings of the network that make no sense.
func (c *Config) checkNetwork(bad refuse) {
	for _, text := range c.AllowNetwork {
		if _, err := netip.ParsePrefix(text); err != nil {
			bad("allow-network", text, "a prefix of addresses, as 10.20.0.0/16 or fd00::/8")
		}
	}
	for _, port := range c.AllowPort {
		if port < 1 || port > 65535 {
			bad("allow-port", port, "1 to 65535")
		}
	}
	if c.Resolver != "" {
		if _, err := netip.ParseAddrPort(c.Resolver); err != nil {
			bad("resolver", c.Resolver, "an address and a port, as 127.0.0.1:53")
		}
	}
}

// client makes the visits of run. The settings are checked.
func (p *program) client(reader *apart.Reader) (*fetch.Client, error) {
	c := &p.config
	o := fetch.Options{UserAgent: c.UserAgent, RobotsAgent: c.RobotsAgent, Interval: c.Delay, MaxBody: c.MaxBody, Timeout: c.Timeout,
		AllowPrivate: c.AllowPrivate, Nameserver: c.Resolver, RobotsAnyHost: c.RobotsAnyHost, KeepRobots: true, Dial: dial, Read: reader.Read,
		Main: c.changeBy() == sitegraph.ChangeByMain}
	if o.Interval == 0 {
		o.Interval = fetch.NoInterval
	}
	for _, text := range c.AllowNetwork {
		o.AllowNetworks = append(o.AllowNetworks, netip.MustParsePrefix(text).Masked())
	}
	for _, port := range c.AllowPort {
		o.AllowPorts = append(o.AllowPorts, uint16(port))
	}
	var err error
	if o.RootCAs, err = trusted(c.CAFile); err != nil {
		return nil, usageError{err, "--ca-file wants a file of certificates in PEM, which begin with -----BEGIN CERTIFICATE-----"}
	}
	return fetch.New(o)
}

// trusted are the certificates of the system and those of a file; nil: those of the system alone.
func trusted(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(content) {
		return nil, errors.New("certificates: " + file + " holds none")
	}
	return pool, nil
}
