package main

import (
	"net/netip"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/fetch/meter"
	"github.com/recrawl/recrawl/sitegraph"
)

// client makes the visits of run. The settings are checked.
func (p *program) client(reader *apart.Reader) (*meter.Client, error) {
	c := &p.config
	o := fetch.Options{UserAgent: c.UserAgent, RobotsAgent: c.RobotsAgent, Interval: c.Delay, MaxBody: c.MaxBody, Timeout: c.Timeout,
		AllowPrivate: c.AllowPrivate, Nameserver: c.Resolver, RobotsAnyHost: c.RobotsAnyHost, RobotsFresh: c.RobotsMaxAge, KeepRobots: true, Read: reader.Read,
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
	if o.RootCAs, err = fetch.Trusted(c.CAFile); err != nil {
		return nil, usageError{err, "--ca-file wants a file of certificates in PEM, which begin with -----BEGIN CERTIFICATE-----"}
	}
	return meter.New(o)
}
