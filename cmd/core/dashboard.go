package core

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/satstore"
)

func (p *Program) serveCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "serve --data DIRECTORY",
		Args: noArguments,
	}, p.serveStored)
}

// mostAhead limits the visits in the dry run of serve: more than run chooses ahead.
const mostAhead = 131_072

// serveStored serves a stopped store until the context ends.
func (p *Program) serveStored(ctx context.Context, _ []string) (err error) {
	if dir, err := os.MkdirTemp(p.config.Data, "serve-"); err == nil { // otherwise it takes memory
		p.scratch = dir
		defer os.RemoveAll(dir) // a part that stays is empty
	}
	o, err := p.open(ctx, true)
	if err != nil {
		return err
	}
	defer o.store.Close() // it was only read
	ahead, err := o.dryRun(&p.config, mostAhead)
	if err != nil {
		return err
	}
	_, served, err := p.dashboard(ctx, o, view.Options{Ahead: ahead})
	if err != nil {
		return err
	}
	defer Closing(served, &err)
	<-ctx.Done()
	return ctx.Err()
}

// dashboard serves an opened planner at --listen; serve has its own address. Without an address,
// desk and server are nil.
func (p *Program) dashboard(ctx context.Context, o *opened, of view.Options) (
	_ *view.Desk, _ *dashboard.Server, err error) {
	c := &p.config
	address := c.Listen
	if address == "" && of.Ahead != nil {
		address = dashboard.DefaultAddress
	}
	if address == "" {
		return nil, nil, nil
	}
	of.Planner, of.Store, of.Rules, of.Data, of.Archive = o.plan, o.store, o.rules, c.Data,
		c.Archive
	of.Policy, of.PerDay, of.Round, of.Workers = c.Policy, c.PerDay(), c.Round, max(c.Workers, 2)
	of.Show = NewReader().Show
	desk := view.New(of)
	options := dashboard.Options{Desk: desk, Address: address, Data: c.Data, Version: VersionName(),
		PProf: c.PProf, Log: p.logger(), Names: c.Names,
		Certificate: c.Certificate, CertificateKey: c.CertificateKey}
	if c.Corpus != "" { // it is read until the program ends
		if options.Corpus, err = p.searcher(ctx, c.Corpus); err != nil {
			return nil, nil, err
		}
	}
	served, err := dashboard.New(options)
	if err != nil {
		return nil, nil, err
	}
	p.Warn(served.Unencrypted())
	served.Serve()
	p.Note("dashboard: %s", served.URL())
	return desk, served, nil
}

// instead asks the running process that has the store of a command open. It returns err if that is
// another error, or nobody answers.
func (p *Program) instead(err error, ask func(dashboard.Command) error) error {
	if !errors.Is(err, satstore.ErrInUse) {
		return err
	}
	asked := ask(dashboard.Command{Data: p.config.Data, JSON: p.json, Out: p.stdout, Note: p.Note})
	if errors.Is(asked, dashboard.ErrNobody) {
		return err
	}
	return asked
}
