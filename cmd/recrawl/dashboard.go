package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/planner/dashboard"
	"github.com/recrawl/recrawl/planner/view"
	"github.com/recrawl/recrawl/satstore"
)

func (p *program) serveCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "serve --data DIRECTORY",
		Args: noArguments,
	}, p.serveStored)
}

// mostAhead bounds the visits of the dry run that serve shows: as many as run chooses ahead.
const mostAhead = 131_072

// serveStored serves a store that stands still until the context ends.
func (p *program) serveStored(ctx context.Context, _ []string) (err error) {
	o, err := p.open(true)
	if err != nil {
		return err
	}
	defer o.store.Close() // nothing was written
	ahead, err := o.dryRun(&p.config, mostAhead)
	if err != nil {
		return err
	}
	_, served, err := p.dashboard(o, view.Options{Ahead: ahead})
	if err != nil {
		return err
	}
	defer closing(served, &err)
	<-ctx.Done()
	return nil
}

// dashboard serves what is opened, if --listen says where; serve has an address of its own. Without
// one, desk and server are nil.
func (p *program) dashboard(o *opened, of view.Options) (*view.Desk, *dashboard.Server, error) {
	c := &p.config
	address := c.Listen
	if address == "" && of.Ahead != nil {
		address = dashboard.DefaultAddress
	}
	if address == "" {
		return nil, nil, nil
	}
	of.Planner, of.Store, of.Rules, of.Data, of.Archive = o.plan, o.store, o.rules, c.Data, c.Archive
	of.Policy, of.PerDay, of.Round, of.Workers, of.Delay = c.Policy, c.perDay(), c.Round, max(c.Workers, 2), c.Delay
	of.Tune = tune.Options{Policy: c.Policy, Base: c.Tune.Base, Weeks: c.Tune.Weeks, New: c.New, Gone: c.Gone,
		Objective: c.objective(), Change: c.changeBy(), Futures: c.Tune.Futures, Seed: c.Seed}
	desk := view.New(of)
	served, err := dashboard.New(dashboard.Options{Desk: desk, Address: address, Data: c.Data, Version: versionName(), PProf: c.PProf, Log: p.logger()})
	if err != nil {
		return nil, nil, err
	}
	served.Serve()
	p.note("dashboard: %s", served.URL())
	return desk, served, nil
}

// running answers in place of a command whose store another process has open: it prints what that
// one says of a resource of its API. asked is false where err is another one, or nobody answers.
func (p *program) running(ctx context.Context, err error, path string, q url.Values) (asked bool, failed error) {
	text, err := p.ask(ctx, err, path, q, "text/plain")
	if err != nil {
		return !errors.Is(err, satstore.ErrInUse), err
	}
	if !p.json {
		_, err = p.stdout.Write(text)
		return true, err
	}
	var v json.RawMessage = text
	return true, p.printJSON(v)
}

// ask returns what a running process says. It is the error given where that is not ErrInUse, or
// nobody answers.
func (p *program) ask(ctx context.Context, err error, path string, q url.Values, accept string) ([]byte, error) {
	if !errors.Is(err, satstore.ErrInUse) {
		return nil, err
	}
	if p.json {
		accept = "application/json"
	}
	text, asked := dashboard.Ask(ctx, p.config.Data, path, q, accept)
	var refused *dashboard.RefusedError
	switch {
	case errors.Is(asked, dashboard.ErrNobody):
		return nil, err
	case errors.As(asked, &refused) && refused.Status < 500:
		return nil, usageError{asked, "the process that works on " + p.config.Data + " says so"}
	case asked != nil:
		return nil, failed{asked, "ask again in a moment", exitFailed}
	}
	p.note("the answer is of the process that works on %s", p.config.Data)
	return text, nil
}

// askTune lets a running process predict, and waits until it has.
func (p *program) askTune(ctx context.Context, err error) error {
	q := url.Values{"target": {p.config.Tune.Target}}
	if _, asked := dashboard.Begin(ctx, p.config.Data, "tune", q); asked != nil {
		return err
	}
	for {
		text, asked := dashboard.Ask(ctx, p.config.Data, "tune", nil, "application/json")
		if asked != nil {
			return asked
		}
		var t struct {
			State  string          `json:"state"`
			Error  string          `json:"error"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(text, &t); err != nil {
			return fmt.Errorf("answer of the running process: %w", err)
		}
		switch {
		case t.State == "failed":
			return usageError{errors.New(t.Error), "let recrawl run visit its pages again, or take histories"}
		case t.State == "done" && p.json:
			p.note("the answer is of the process that works on %s", p.config.Data)
			return p.printJSON(t.Result)
		case t.State == "done":
			_, err = p.running(ctx, err, "tune", nil)
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}
