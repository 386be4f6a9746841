package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
)

func (p *Program) sitesCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "sites (--history FILE | --data DIRECTORY) SERVER",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return UsageError(fmt.Errorf("sites takes one server, not %d", len(args)),
					"recrawl sites --history FILE SERVER")
			}
			return nil
		},
	}, p.sites)
}

func (p *Program) sites(ctx context.Context, args []string) error {
	c := &p.config
	switch {
	case c.Sites.History == "" && c.Data == "":
		return UsageError(errors.New("neither --history nor --data is given"),
			"recrawl sites --history FILE SERVER")
	case c.Sites.History != "" && c.Data != "":
		return UsageError(errors.New("both --history and --data are given"),
			"give one of them; either may also come from the environment or the file of settings")
	}
	source, err := p.siteSource(ctx, eval.ServerOf(args[0]))
	var unknown *eval.UnknownServerError
	if errors.As(err, &unknown) {
		where := cmp.Or(c.Data, c.Sites.History) // one of them is given
		return UsageError(fmt.Errorf("server %q is not in %s", unknown.Server, where),
			nearServer(unknown.Server, unknown.Known))
	}
	if err != nil {
		return p.askSites(ctx, err, args[0])
	}
	d := eval.Divide(source, c.Sites.Method)
	if p.json {
		return p.printJSON(d.Result)
	}
	return present.SitesText(d, p.stdout)
}

// askSites prints the answer of a running process.
func (p *Program) askSites(ctx context.Context, err error, server string) error {
	path, q := "servers/"+url.PathEscape(eval.ServerOf(server))+"/sites",
		url.Values{"method": {p.config.Sites.Method}}
	return p.instead(err, func(c dashboard.Command) error {
		return c.Print(ctx, path, q)
	})
}

// siteSource reads the server from a history or from the store of a stopped planner.
func (p *Program) siteSource(ctx context.Context, server string) (*eval.DividedServer, error) {
	c := &p.config
	if c.Data != "" {
		o, err := p.open(ctx, true)
		if err != nil {
			return nil, err
		}
		defer o.store.Close() // it was only read
		source, err := eval.KnownServer(o.pages, server)
		if _, sited := o.plan.Policy.(planner.Sited); err != nil || !sited {
			return source, err
		}
		if _, err := o.dryRun(c, 0); err != nil {
			return nil, err
		}
		source.UsedBy(o.plan.Policy)
		return source, nil
	}
	servers, err := history.ReadFiles(ctx, []string{history.FileOf(c.Sites.History, server)}, nil)
	if err != nil {
		return nil, err
	}
	source, err := eval.RecordedServer(ctx, servers, c.Sites.History, server, c.Sites.Base,
		c.ChangeBy())
	if err == nil {
		p.Warn(eval.EnteredAt(servers[0], c.Sites.Base))
	}
	return source, err
}
