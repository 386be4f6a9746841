package core

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/fetch/guard"
)

func (p *Program) guardCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "guard --listen 127.0.0.1:PORT",
		Args: noArguments,
	}, p.guard)
}

func (p *Program) guard(ctx context.Context, _ []string) error {
	o := guard.Options{Limits: p.config.Guard, AllowPrivate: p.config.AllowPrivate,
		Nameserver: p.config.Resolver,
		Log:        slog.New(slog.NewJSONHandler(p.stderr, nil))}
	o.AllowNetworks, o.AllowPorts = p.config.Allowed()
	g, err := guard.New(o)
	if err != nil {
		return UsageError(err,
			"for example --listen 127.0.0.1:3128, or --listen 10.20.0.1:3128 --clients 10.20.0.0/16")
	}
	listener, err := g.Listen()
	if err != nil {
		return err
	}
	p.Note("the guard is at http://%s", listener.Addr())
	if err := g.Serve(ctx, listener); err != nil {
		return err
	}
	summary := g.Summary()
	err = p.Print(&summary, present.GuardFinding(&summary), present.GuardTables(&summary))
	if err != nil {
		return err
	}
	return ctx.Err()
}
