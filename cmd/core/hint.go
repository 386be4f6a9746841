package core

import (
	"context"
	"errors"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/push"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func (p *Program) hintCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "hint --push ADDRESS URL...",
	}, p.hint)
}

func (p *Program) hint(ctx context.Context, args []string) error {
	urls, err := Addresses(args)
	if err != nil {
		return err
	}
	if p.config.Push == "" || len(urls) == 0 {
		return UsageError(errors.New("--push and at least one address are needed"),
			"recrawl hint --push 127.0.0.1:8090 URL...")
	}
	if err := push.Send(ctx, p.config.Push, urls); err != nil {
		return WorkError(err, "run must have the same --push, and hints are taken from its "+
			"own machine alone", ExitFailed)
	}
	p.Note("%s sent", words.Plural(len(urls), "address"))
	return nil
}

// push opens the service for reports of changes, if a run wants them; otherwise it returns nil.
func (p *Program) push(client *fetch.MeteredClient, store *satstore.Store) (*push.Service, error) {
	c := &p.config
	if c.Push == "" {
		return nil, nil
	}
	return push.Open(push.Options{
		Address: c.Push, Callback: c.WebSub, Names: c.Names, Get: client.Get, Note: p.Note,
		Now: p.clock.Now, Setting: store.Setting,
		Post: func(ctx context.Context, hub string, form url.Values) (push.HubAnswer, error) {
			reply, err := client.Post(ctx, hub, form)
			return push.HubAnswer(reply), err
		},
	})
}

// hand lets a loop visit reported pages. Call it between visits.
func hand(said *push.Service, l *crawl.Loop, store *satstore.Store) error {
	hints, owned, err := said.Take(store, l.Knows)
	if err == nil && len(hints) > 0 {
		_, err = l.Ask(true, hints...)
	}
	if err == nil && len(owned) > 0 {
		_, err = l.Ask(false, owned...)
	}
	return err
}
