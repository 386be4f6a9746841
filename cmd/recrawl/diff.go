package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch/archive/difference"
)

func (p *program) diffCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "diff --archive DIRECTORY URL [MOMENT [MOMENT]]",
		Short: "What differs between two captures of a page",
		Long: `diff compares two captures that run kept of a page: those nearest to two moments, each of 4 to 14
digits (20260131, 20260131120000); with one moment, that capture and the last one; and with none, the
last one and the one before it that differs.

--of says what is compared: the visible text, the main text (without navigation, header, footer and
sidebars), both word by word, or the source, line by line. Removed words begin with "-", added ones
with "+". Text and main text are what --change of run judges by.`,
		Example: `  recrawl diff --archive warc https://example.org/news/
  recrawl diff --archive warc --of main https://example.org/ 20260131 20260228
  recrawl diff --archive warc --json https://example.org/ | jq .added`,
		Args: cobra.RangeArgs(1, 3),
	}, p.diff)
}

func (p *program) diff(_ context.Context, args []string) error {
	urls, err := canonicalSeeds(args[:1])
	if err != nil {
		return err
	}
	r, err := p.openArchive()
	if err != nil {
		return err
	}
	defer r.Close() // nothing was written to it
	result, err := difference.Run(r, urls[0], args[1:], p.config.Diff.Of, time.Now())
	if err != nil {
		return err
	}
	return p.printText(result)
}
