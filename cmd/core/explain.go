package core

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func (p *Program) explainCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "explain --data DIRECTORY URL",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return UsageError(
					fmt.Errorf("explain takes one address, not %d", len(args)),
					"recrawl explain --data DIRECTORY URL",
				)
			}
			return nil
		},
	}, p.explain)
}

func (p *Program) explain(ctx context.Context, args []string) error {
	address, err := webAddress(args[0])
	if err != nil {
		return err
	}
	o, err := p.open(ctx, true)
	if err != nil {
		return p.instead(err, func(c dashboard.Command) error {
			return c.Print(ctx, "page", url.Values{"url": {address}})
		})
	}
	defer o.store.Close() // it was only read
	page, ok := o.pages.Graph.Lookup(address)
	if !ok {
		return UsageError(fmt.Errorf("%s is not known in %s", address, p.config.Data),
			p.nearMiss(o, address))
	}
	var record sitegraph.Record
	if err := o.store.Load(page, &record); err != nil {
		return err
	}
	present.DueOf(&record, o.pages)
	ahead, err := o.dryRun(&p.config, o.pages.Count())
	if err != nil {
		return err
	}
	e := present.Explain(&record, o.plan, ahead, p.config.Policy, time.Now())
	return p.Print(e, e.Sentence(time.Now()), e.Tables())
}

// nearMiss returns a hint for an unknown URL.
func (p *Program) nearMiss(o *opened, address string) string {
	for _, form := range []string{sitegraph.Tidy(address), oneSlash(sitegraph.Tidy(address))} {
		if _, known := o.pages.Graph.Lookup(form); known {
			return "it is known as " + form
		}
	}
	server, ok := o.pages.Graph.LookupServer(sitegraph.ServerName(address))
	if !ok {
		return "no page of that server is known; recrawl run --data " + p.config.Data +
			" URL adds it"
	}
	known := words.Plural(len(o.pages.Graph.ServerPages(server)), "page")
	return fmt.Sprintf("known of that server: %s; recrawl sites --data %s %s lists them",
		known, p.config.Data, sitegraph.ServerName(address))
}

// oneSlash returns the form in which stores of earlier versions have a URL with two slashes in its
// path.
func oneSlash(address string) string {
	head, query, hasQuery := strings.Cut(address, "?")
	scheme, path, _ := strings.Cut(head, "://")
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if address = scheme + "://" + path; hasQuery {
		address += "?" + query
	}
	return address
}
