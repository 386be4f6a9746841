package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/satstore/inspect"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/satstore/seen/intake"
)

func (p *program) checkCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "check (--data DIRECTORY | --set DIRECTORY)",
		Short: "Verify every byte of a store",
		Long: `check reads and verifies the whole store: every block of records, the index, the log, every entry of
the catalogue, and that they agree; and the set of addresses, if import made one: every block of it,
and that it has the pages which it covers and no others. It names each damage with its file and
place; the exit code is 4 if there is any. It writes nothing. --set takes a set without a store.

A damaged record is not the end of its page: run continues with a fresh record of the same address
and visits the page as if for the first time.

The directory must not be in use: recrawl checkpoint makes a copy while run works.`,
		Example: "  recrawl check --data crawl\n  recrawl check --data /backup/crawl-monday --json\n  recrawl check --set seen",
		Args:    noArguments,
	}, p.check)
}

// CheckConfig are the settings of check.
type CheckConfig struct {
	Set string `help:"instead of --data: directory of a set of addresses alone, as import --set made it"`
}

func (p *program) check(ctx context.Context, _ []string) error {
	dir, r := p.config.Check.Set, inspect.CheckAlone()
	var pages intake.Store // nil: the set stands alone
	if (p.config.Data == "") == (dir == "") {
		return usageError{errors.New("either --data or --set says what to verify"), "recrawl check --data DIRECTORY verifies the store of a planner and its set"}
	}
	if dir == "" {
		store, err := p.openStore()
		if err != nil {
			return err
		}
		defer store.Close() // nothing was written
		bar := p.progress("records", store.Pages())
		found, err := store.Check(ctx, bar.Of)
		bar.End()
		if err != nil {
			return err
		}
		dir, r, pages = intake.SetIn(p.config.Data), inspect.Check(found), store
	}
	set, err := intake.CheckSet(ctx, dir, seen.SetOptions{}, pages)
	if err == nil {
		r.Set = &inspect.Set{Fingerprints: set.Fingerprints, Runs: set.Runs, Pages: set.Pages}
		for _, d := range set.Damage {
			r.Add(d.Path, d.Offset, d.Error())
		}
	} else if pages == nil || !errors.Is(err, seen.ErrNoSet) {
		return err
	}
	if err = p.printText(r); err != nil || len(r.Damage) == 0 {
		return err
	}
	hint := "run goes on with fresh records for damaged ones; a damaged catalogue, log or index needs a copy of the " +
		"directory; where the set is damaged, remove seen/: import makes it anew"
	if pages == nil {
		hint = "remove the set, and import its lists again"
	}
	return failed{fmt.Errorf("%s found in %s", r.Verdict(), cmp.Or(p.config.Data, dir)), hint, exitDamaged}
}
