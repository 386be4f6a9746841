package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/fetch/meter"
	"github.com/recrawl/recrawl/fetch/push"
	"github.com/recrawl/recrawl/planner/cycle"
)

func (p *program) hintCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "hint --push ADDRESS URL...",
		Short: "Tell a run that pages have changed",
		Long: `hint asks the run that listens at --push to visit pages at once: before all others, as soon as
robots.txt, the pause of the server and the budget allow. Addresses that the run does not know become
known; one of a server that it does not know becomes a start page. Such visits take at most half of a
round's budget.

Owners of servers that the run knows do the same by IndexNow (POST http://ADDRESS/indexnow), for
their own pages.`,
		Example: "  recrawl hint --push 127.0.0.1:8090 https://example.com/news/",
	}, p.hint)
}

func (p *program) hint(ctx context.Context, args []string) error {
	urls, err := canonicalSeeds(args)
	if err != nil {
		return err
	}
	if p.config.Push == "" || len(urls) == 0 {
		return usageError{errors.New("--push and at least one address are needed"), "recrawl hint --push 127.0.0.1:8090 URL..."}
	}
	if err := push.Send(ctx, p.config.Push, urls); err != nil {
		return failed{err, "run must have the same --push, and hints are taken from its own machine alone", exitFailed}
	}
	p.note("%s sent", report.Plural(len(urls), "address"))
	return nil
}

// inbox takes in what others say has changed; the nil one takes in nothing.
type inbox struct {
	*push.Inbox
	server *push.Server
	stop   func()
}

// inbox opens that of a run.
func (p *program) inbox(client *meter.Client) (*inbox, error) {
	if p.config.Push == "" {
		return nil, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &inbox{Inbox: push.New(ctx, client.Get), stop: stop}
	var err error
	if b.server, err = push.Listen(p.config.Push, b.Inbox); err != nil {
		return nil, failed{err, "--push wants an address of this machine with a free port, as 127.0.0.1:8090", exitFailed}
	}
	p.note("hints and IndexNow are taken at http://%s", b.server.Address())
	return b, nil
}

// hand what was taken in to a loop, between visits.
func (b *inbox) hand(l *cycle.Loop) error {
	if b == nil {
		return nil
	}
	hints, owned := b.Take(l.Knows)
	if len(hints)+len(owned) == 0 {
		return nil
	}
	_, err := l.Ask(true, hints...)
	if err == nil {
		_, err = l.Ask(false, owned...)
	}
	return err
}

// Close ends it.
func (b *inbox) Close() error {
	if b == nil {
		return nil
	}
	err := b.server.Close()
	b.stop()
	b.Inbox.Close()
	return err
}
