package main

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch/guard"
)

func (p *program) guardCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "guard --listen 127.0.0.1:PORT",
		Short: "A proxy that blocks what asks a server too much, whatever the crawler does",
		Long: `guard is a forward proxy for a crawler, with limits of its own for each address. It knows nothing of
the crawler's politeness: it protects servers from a crawler that is broken or set up wrongly.

What exceeds a limit is answered 429 with Retry-After and the name of the limit, and logged as a line
of JSON on standard error. https:// goes through tunnels (CONNECT), inside which nobody can count
requests: a tunnel counts as one request and has limits of bytes, time and turns. --connect refuse
refuses tunnels.

It connects to public addresses only, and listens to this machine only, unless told otherwise.
Stop it with Ctrl-C. Then it prints how much was let through and how much each limit refused.`,
		Example: `  recrawl guard --listen 127.0.0.1:3128 --stop-address-after 100
  recrawl run --data crawl --user-agent "mybot/1.0 (+https://example.org/bot)" --proxy http://127.0.0.1:3128`,
		Args: noArguments,
	}, p.guard)
}

func (p *program) guard(ctx context.Context, _ []string) error {
	o := guard.Options{Limits: p.config.Guard, AllowPrivate: p.config.AllowPrivate, Nameserver: p.config.Resolver,
		Log: slog.New(slog.NewJSONHandler(p.stderr, nil))}
	o.AllowNetworks, o.AllowPorts = p.config.allowed()
	g, err := guard.New(o)
	if err != nil {
		return usageError{err, "for example --listen 127.0.0.1:3128, or --listen 10.20.0.1:3128 --clients 10.20.0.0/16"}
	}
	listener, err := g.Listen()
	if err != nil {
		return err
	}
	p.note("the guard is at http://%s", listener.Addr())
	if err := g.Serve(ctx, listener); err != nil {
		return err
	}
	summary := g.Summary()
	if err := p.print(&summary, summary.Tables()); err != nil {
		return err
	}
	return ctx.Err()
}
