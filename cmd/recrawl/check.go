package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/satstore/inspect"
	"github.com/recrawl/recrawl/satstore/seen/intake"
)

func (p *program) checkCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "check --data DIRECTORY",
		Short: "Verify every byte of a store",
		Long: `check reads and verifies the whole store: every block of records, the index, the log, every entry of
the catalogue, and that they agree; and of the set of addresses, if import made one. It names each
damage with its file and place; the exit code is 4 if there is any. It writes nothing.

A damaged record is not the end of its page: run continues with a fresh record of the same address
and visits the page as if for the first time.

The directory must not be in use: recrawl checkpoint makes a copy while run works.`,
		Example: "  recrawl check --data crawl\n  recrawl check --data /backup/crawl-monday --json",
		Args:    noArguments,
	}, p.check)
}

func (p *program) check(ctx context.Context, _ []string) error {
	store, err := p.openStore()
	if err != nil {
		return err
	}
	defer store.Close() // nothing was written
	bar := p.progress("records", store.Pages())
	found, err := store.Check(ctx, func(done, all int) { bar.total = all; bar.At(done) })
	bar.End()
	if err != nil {
		return err
	}
	r := inspect.Check(found)
	inSet, err := intake.CheckSet(p.config.Data)
	if err != nil {
		return err
	}
	for _, d := range inSet {
		r.Add(d.Path, d.Offset, d.Error())
	}
	if err = p.printText(r); err == nil && len(r.Damage) > 0 {
		return failed{fmt.Errorf("%s found in %s", r.Verdict(), p.config.Data),
			"run goes on with fresh records for damaged ones; " +
				"a damaged catalogue, log or index needs a copy of the directory", exitDamaged}
	}
	return err
}
