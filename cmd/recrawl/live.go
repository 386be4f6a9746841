package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/fetch/meter"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/sitegraph"
)

// client makes the visits of run. The settings are checked.
func (p *program) client(reader *apart.Reader) (*meter.Client, error) {
	c := &p.config
	o := fetch.Options{
		UserAgent: c.UserAgent, AllowPrivate: c.AllowPrivate, Nameserver: c.Resolver,
		Interval: c.Delay, MaxBody: c.MaxBody, Timeout: c.Timeout,
		RobotsAgent: c.RobotsAgent, RobotsAnyHost: c.RobotsAnyHost, RobotsFresh: c.RobotsMaxAge, KeepRobots: true,
		Read: reader.Read, Main: c.changeBy() == sitegraph.ChangeByMain,
	}
	if o.Interval == 0 {
		o.Interval = fetch.NoInterval
	}
	o.AllowNetworks, o.AllowPorts = c.allowed()
	o.Proxy, _ = fetch.ParseProxy(c.Proxy)
	o.Warn = func(err error) { p.warn(err.Error()) }
	var err error
	if o.RootCAs, err = fetch.Trusted(c.CAFile); err != nil {
		return nil, usageError{err, "--ca-file wants a file of certificates in PEM, which begin with -----BEGIN CERTIFICATE-----"}
	}
	return meter.New(o)
}

// allowed are the addresses and ports that are open though they are closed by default.
func (c *Config) allowed() (networks []netip.Prefix, ports []uint16) {
	for _, text := range c.AllowNetwork {
		networks = append(networks, netip.MustParsePrefix(text).Masked())
	}
	for _, port := range c.AllowPort {
		ports = append(ports, uint16(port))
	}
	return networks, ports
}

// liveFetcher asks the live web for the loop. It holds each visit to the bytes it may read, and
// notes which are under way.
type liveFetcher struct {
	*meter.Client
	underWay *apart.Register
}

func (f liveFetcher) Fetch(ctx context.Context, r cycle.Request) (sitegraph.Observation, error) {
	defer f.underWay.Begin(r.Record.URL)()
	o, until, err := f.Try(ctx, r.Record, r.MaxBytes)
	var local *fetch.LocalError
	switch {
	case errors.As(err, &local):
		err = &cycle.LocalError{Err: local.Err, Unsure: local.Unsure}
	case err == nil && !until.IsZero():
		err = &cycle.Wait{Until: until, Scheme: o.Outcome == sitegraph.OutcomeFailed}
	}
	return o, err
}

// readsApart as its only argument makes the program read one body for another process of it.
const readsApart = "read-apart"

// serveReading reads it.
func serveReading() (exitCode int) {
	if err := apart.Serve(os.Stdin, os.Stdout, fetch.Read); err != nil {
		fmt.Fprintf(os.Stderr, "recrawl: error: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// underWay opens the register of visits under way for those who read, and says what it remembers.
func (p *program) underWay(reader *apart.Reader) (*apart.Register, error) {
	r, err := apart.Open(filepath.Join(p.config.Data, "underway"))
	if err != nil {
		return nil, err
	}
	reader.Register = r
	if n := r.Suspects(); n > 0 {
		p.note("%s under way when a run died; when visited next, each is read in a process of its own",
			report.Plural(n, "page"))
	}
	return r, nil
}
