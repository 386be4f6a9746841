package core

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func (p *Program) watchCommand() *cobra.Command {
	cmd := p.command(&cobra.Command{
		Use:         "watch FILE",
		Annotations: map[string]string{config.NameAs: "run", config.Without: "watch"},
		Args:        cobra.ExactArgs(1),
	}, p.watch)
	cmd.AddCommand(p.command(&cobra.Command{
		Use:         "test FILE",
		Annotations: map[string]string{config.NameAs: "watch-test"},
		Args:        cobra.ExactArgs(1),
	}, p.watchTest))
	return cmd
}

// watch is a run only for the rules of a file.
func (p *Program) watch(ctx context.Context, args []string) error {
	c := &p.config
	c.Watch = args[0]
	f, err := p.watched()
	if err != nil {
		return err
	}
	f.Focus()
	if c.Data == "" {
		c.Data = f.Directory()
	}
	if c.UserAgent == "" {
		c.UserAgent = f.UserAgent(VersionName())
	}
	if c.UserAgent == "" {
		return UsageError(errors.New("no contact given: site owners must be able to reach you"),
			c.Watch+` wants a line as "contact: you@example.org", or the call --user-agent`)
	}
	usual := func(key string, set func()) {
		if p.review.From(key) == config.FromDefault {
			set()
		}
	}
	if !c.Unlimited {
		usual("budget", func() { c.Budget = []string{fmt.Sprintf("%d/day", f.PerDay())} })
	}
	usual("round", func() { c.Round = f.Round() })
	usual("change", func() { c.Change = "main" })
	return p.run(ctx, f.Starts())
}

func (p *Program) watchTest(ctx context.Context, args []string) error {
	f, err := watch.Read(args[0])
	if err != nil {
		return err
	}
	senders, err := watch.OpenSenders(f, os.LookupEnv)
	if err != nil {
		return err
	}
	trial := watch.Try(ctx, f, senders)
	if err := p.Print(trial, present.TrialFinding(trial), present.TrialTables(trial)); err != nil {
		return err
	}
	if trial.Failed > 0 {
		return WorkError(fmt.Errorf("%d of %s took no message",
			trial.Failed, words.Plural(len(trial.Targets), "target")),
			"docs/reference/watching.md has the forms of targets", ExitFailed)
	}
	return nil
}

// watched returns the rules of --watch, or nil.
func (p *Program) watched() (*watch.File, error) {
	if p.config.Watch == "" || p.rules != nil {
		return p.rules, nil
	}
	var err error
	p.rules, err = watch.Read(p.config.Watch)
	return p.rules, err
}

// openWatch restores the watch for the rules of --watch, or returns nil.
func (p *Program) openWatch(store *satstore.Store) (*watch.Watch, error) {
	if p.rules == nil {
		return nil, nil
	}
	senders, err := watch.OpenSenders(p.rules, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return watch.Open(watch.Options{File: p.rules, Senders: senders, Setting: store.Setting,
		Note: p.Note,
		Warn: func(text string) { p.Warn(text) }})
}
