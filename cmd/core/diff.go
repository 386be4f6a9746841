package core

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *Program) diffCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "diff --archive DIRECTORY URL [MOMENT [MOMENT]]",
		Args: cobra.RangeArgs(1, 3),
	}, p.diff)
}

func (p *Program) diff(ctx context.Context, args []string) error {
	urls, err := Addresses(args[:1])
	if err != nil {
		return err
	}
	r, err := p.OpenArchive()
	if err != nil {
		return err
	}
	defer r.Close() // it was only read
	result, err := archive.Compare(ctx, r, urls[0], args[1:], p.config.Diff.Of, time.Now(),
		NewReader().Show)
	if err != nil {
		return err
	}
	if of, err := sitegraph.Canonical(result.URL); err == nil && of != urls[0] {
		p.Warn(fmt.Sprintf("there is no page of %s; these are captures of %s", urls[0], result.URL))
	}
	return PrintAs(p, result, inside.DifferenceText)
}
