package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *program) sitesCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "sites (--history FILE | --data DIRECTORY) SERVER",
		Short: "Divide the pages of a server into sites",
		Long: `sites divides the pages of a server into sites. Each has top pages, which are visited first, and
members [LINK 4].

  a          each directory is a site; its tops are its pages nearest to the start page
  b          the pages linked from other directories are tops, their members are the pages of
             their directory that they link to; pages in no site are reported as orphans
  b-closure  as b, members of members included
  c          the sites of b; a site is visited only where an upper site, one with a page that
             links to its top, has changed
  c-closure  the sites of b-closure, visited as in c
  server     the whole server is one site
  prefix     the deepest paths, up to a slash, that have enough pages; small directories belong
             to the one above
  shape      addresses that look alike, as /#/#/*.html: numbers folded, names starred; rare
             shapes are generalised until they have enough pages
  community  groups of pages that link to each other more than to others, wherever they are

Enough is about the square root of the server's pages. The last four do not need directories that
are sites; each of their sites has one top, besides the start pages and their frames.

With --history it divides the pages that can be reached from the top page, --base weeks after the
start of the recorded window. With --data it divides the pages that a stopped planner has a copy of
(base is 0 then). Upper sites are shown for all methods; only c and c-closure use them. --svg also
draws the sites into a file.`,
		Example: "  recrawl sites --history histories/example.org.jsonl.gz example.org --method c --svg sites.svg\n  recrawl sites --data crawl example.org --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("sites takes one server, not %d", len(args)), "recrawl sites --history FILE SERVER"}
			}
			return nil
		},
	}, p.sites)
}

func (p *program) sites(ctx context.Context, args []string) error {
	c := &p.config
	switch {
	case c.Sites.History == "" && c.Data == "":
		return usageError{errors.New("neither --history nor --data is given"), "recrawl sites --history FILE SERVER"}
	case c.Sites.History != "" && c.Data != "":
		return usageError{errors.New("both --history and --data are given"),
			"give one of them; either may also come from the environment or the file of settings"}
	}
	if err := writable(c.Sites.SVG); err != nil {
		return err
	}
	source, err := p.siteSource(ctx, serverOf(args[0]))
	var unknown *sites.UnknownServerError
	if errors.As(err, &unknown) {
		where := cmp.Or(c.Data, c.Sites.History) // one of them is given
		return usageError{fmt.Errorf("server %q is not in %s", unknown.Server, where), nearestServers(unknown.Server, unknown.Known)}
	}
	if err != nil {
		return err
	}
	d := sites.Divide(source, c.Sites.Method)
	if c.Sites.SVG != "" { // before anything is printed: a run that fails prints nothing
		if err := writeWhole(c.Sites.SVG, d.Map().SVG); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(d.Result)
	}
	return d.Print(p.stdout, c.Sites.SVG)
}

// siteSource reads the server from a history or from what a stopped planner knows.
func (p *program) siteSource(ctx context.Context, server string) (*sites.Source, error) {
	c := &p.config
	if c.Data != "" {
		o, err := p.open(true)
		if err != nil {
			return nil, err
		}
		defer o.store.Close() // nothing was written
		return sites.Known(o.corpus, server)
	}
	servers, err := history.ReadFiles(ctx, []string{history.FileOf(c.Sites.History, server)}, nil)
	if err != nil {
		return nil, err
	}
	return sites.Recorded(ctx, servers, c.Sites.History, server, c.Sites.Base, c.changeBy())
}

// serverOf takes an address for its server.
func serverOf(arg string) string {
	if address, err := sitegraph.Canonical(arg); err == nil {
		return sitegraph.ServerName(address)
	}
	return arg
}
