package core

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/eval"
)

func (p *Program) showCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "show",
	}, "unknown command %q of show", "recrawl show warc",
		p.showPageCommand(), p.showRobotsCommand(), p.showFeedCommand(), p.command(&cobra.Command{
			Use:  "url ADDRESS",
			Args: cobra.ExactArgs(1),
		}, p.showURL), p.command(&cobra.Command{
			Use:         "filters",
			Annotations: map[string]string{config.NameAs: "show-filters"},
			Args:        noArguments,
		}, p.showFilters), p.command(&cobra.Command{
			Use:  "warc FILE",
			Args: cobra.ExactArgs(1),
		}, p.showWARC))
}

func (p *Program) showFilters(ctx context.Context, _ []string) (err error) {
	set, err := p.Filters()
	if err != nil {
		return err
	}
	defer Closing(set, &err)
	result, err := eval.MeasureFilters(ctx, p.config.Labelled, set)
	if err != nil {
		return err
	}
	return p.Print(result, inside.MeasuredFinding(result), inside.MeasuredTables(result))
}

func (p *Program) showWARC(_ context.Context, args []string) error {
	shown, err := inside.ReadWARCFile(args[0], p.json)
	if err != nil {
		return err
	}
	if err := p.Print(shown, shown.Finding(), shown.Tables()); err != nil {
		return err
	}
	if problem := shown.Problem(); problem != "" {
		return WorkError(errors.New(problem), "what was read before it is printed above",
			ExitDamaged)
	}
	return nil
}
