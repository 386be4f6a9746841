package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/evals"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/demo"
)

func (p *Program) demoCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "demo",
		Args: noArguments,
	}, p.demo)
}

func (p *Program) demo(ctx context.Context, _ []string) error {
	c := &p.config
	if err := findPrograms(nil, c.Policy); err != nil {
		return err
	}
	if err := p.Outputs(c.Demo.HTML); err != nil {
		return err
	}
	if path := demo.Occupied(c.Demo.Keep, c.Archive); path != "" {
		return UsageError(fmt.Errorf("%s is there already", path),
			"give --keep and --archive new directories, or remove that one")
	}
	o := demo.Options{
		Seed: c.Seed, Pages: c.Demo.Pages, Sites: c.Demo.Sites, Keep: c.Demo.Keep,
		Archive: c.Archive,
		Change:  c.ChangeBy(), Policy: c.Policy, Weeks: c.Demo.Weeks, Budget: c.Demo.Budget,
		New:      c.New,
		Claims:   c.Demo.Claims,
		Progress: func(what string, steps int) demo.Bar { return p.Progress(what, steps) },
	}
	if c.Demo.Seeds > 0 {
		return p.savings(ctx, o)
	}
	r, err := demo.Run(ctx, o)
	if err != nil {
		return err
	}
	page := evals.DemoPage(r)
	if !c.Demo.Full {
		page = evals.ShortOnScreen(page, r)
	}
	if err := p.Publish(r, page, c.Demo.HTML); err != nil {
		return err
	}
	if r.Agreement.Difference != "" {
		return fmt.Errorf("HTTP and replay disagree: %s", r.Agreement.Difference)
	}
	if !p.json {
		s := p.screen()
		for _, text := range evals.DemoClosing(r, c.Demo.HTML) {
			fmt.Fprintf(s, "\n%s\n", report.Wrap(text, cmp.Or(s.Width, report.UsualWidth)))
		}
		if err := s.Flush(); err != nil {
			return err
		}
	}
	if c.Demo.Open {
		return p.openDemo(ctx, o)
	}
	return nil
}

// openDemo serves a dashboard over the web of a demo as of today.
func (p *Program) openDemo(ctx context.Context, o demo.Options) (err error) {
	c := &p.config
	if c.Data, err = os.MkdirTemp("", "recrawl-demo-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.Data)
	perDay, err := demo.Today(ctx, o, c.Data, time.Now())
	if err != nil {
		return err
	}
	c.Budget, c.Round, c.Archive = []string{fmt.Sprintf("%d/day", perDay)}, 24*time.Hour, ""
	return p.serveStored(ctx, nil)
}

// savings measures the savings by signals.
func (p *Program) savings(ctx context.Context, o demo.Options) error {
	if o.Keep != "" || o.Archive != "" || p.config.Demo.Open {
		return UsageError(errors.New("--seeds keeps nothing, and opens nothing"),
			"leave --keep, --archive and --open out, or --seeds")
	}
	r, err := demo.Save(ctx, o, p.config.Demo.Seeds)
	if err != nil {
		return err
	}
	return p.Publish(r, evals.SavingsPage(r), p.config.Demo.HTML)
}
