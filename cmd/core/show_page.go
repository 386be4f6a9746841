package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *Program) showPageCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:         "page FILE|URL",
		Annotations: map[string]string{config.NameAs: "show-page"},
		Args:        cobra.ExactArgs(1),
	}, p.showPage)
}

func (p *Program) showPage(ctx context.Context, args []string) (err error) {
	var shown *inside.Page
	set, err := extract.ReadRules(p.config.Rules)
	switch {
	case err != nil:
	case strings.Contains(args[0], "://"):
		shown, err = p.pageOnline(ctx, args[0])
	default:
		shown, err = inside.ReadPageFile(args[0], p.config.Show.URL, set)
	}
	if err != nil {
		return err
	}
	filters, err := p.Filters()
	if err == nil {
		defer Closing(filters, &err)
		err = shown.Judge(ctx, filters)
	}
	if err != nil {
		return err
	}
	return p.Print(shown, shown.Finding(), shown.Tables())
}

// pageOnline requests a page like run.
func (p *Program) pageOnline(ctx context.Context, url string) (shown *inside.Page, err error) {
	if url, err = webAddress(url); err != nil {
		return nil, err
	}
	reader := NewReader()
	client, err := p.client(func(ctx context.Context, r fetch.Reading) (fetch.Content, error) {
		if !r.Source {
			page := extract.Shown{Page: r.Body, Type: r.ContentType}
			if r.IsFile() {
				if page, err = reader.Show(ctx, r.URL, r.ContentType, r.Body); err != nil {
					return fetch.Content{}, err
				}
			}
			shown = inside.ReadPage(page.Page, page.Type, r.URL, r.Page)
		}
		return reader.Read(ctx, r)
	}, nil)
	if err != nil {
		return nil, err
	}
	o, err := client.Visit(ctx, sitegraph.Record{URL: url})
	if err == nil && shown == nil {
		err = fmt.Errorf("%s is no page that can be shown: %s %s%s",
			url, o.Outcome, o.Detail, o.RedirectTo)
	}
	return shown, err
}
