package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/satstore/repair"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *Program) checkCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "check (--data DIRECTORY [--repair --to DIRECTORY] | --set DIRECTORY)",
		Args: noArguments,
	}, p.check)
}

func (p *Program) check(ctx context.Context, _ []string) error {
	dir, r := p.config.Check.Set, present.CheckAlone()
	var pages intake.Store // nil: the set is alone
	if c := p.config.Check; c.Repair || c.To != "" {
		return p.repair(ctx)
	}
	if (p.config.Data == "") == (dir == "") {
		return UsageError(errors.New("either --data or --set says what to verify"),
			"recrawl check --data DIRECTORY verifies the store of a planner and its set")
	}
	if dir == "" {
		store, err := p.openStore()
		if err != nil {
			return err
		}
		defer store.Close() // it was only read
		visited, err := journal.Newest(filepath.Join(p.config.Data, "journal"),
			time.Now().Add(sitegraph.WrongClock))
		if err != nil {
			return err
		}
		bar := p.Progress("records", store.Pages())
		found, err := store.Check(ctx, bar.Of, visited)
		bar.End()
		if err != nil {
			return err
		}
		dir, r, pages = intake.SetIn(p.config.Data), present.Check(found), store
	}
	set, err := intake.CheckSet(ctx, dir, seen.SetOptions{}, pages)
	if err == nil {
		r.Set = &present.Set{Fingerprints: set.Fingerprints, Runs: set.Runs, Pages: set.Pages}
		for _, d := range set.Damage {
			r.Add(d.Path, d.Offset, d.Error())
		}
	} else if pages == nil || !errors.Is(err, seen.ErrNoSet) {
		return err
	}
	if err = p.PrintText(r); err != nil || len(r.Damage) == 0 {
		return err
	}
	hint := "run goes on with fresh records for damaged ones; of a damaged catalogue, log or index " +
		"check --repair makes a new store; where the set is damaged, remove seen/: import makes it " +
		"anew"
	if pages == nil {
		hint = "remove the set, and import its lists again"
	}
	return WorkError(fmt.Errorf("%s found in %s", r.Verdict(), cmp.Or(p.config.Data, dir)), hint,
		ExitDamaged)
}

// repair makes a new store from the readable part of the one in --data.
func (p *Program) repair(ctx context.Context) error {
	c := &p.config
	if c.Data == "" || c.Check.To == "" || !c.Check.Repair {
		return UsageError(errors.New("a repair needs a store and a directory for a new one"),
			"recrawl check --data DIRECTORY --repair --to NEW-DIRECTORY")
	}
	stages := p.stages(ctx)
	r, err := repair.Run(ctx, c.Data, c.Check.To, stages.Tell)
	stages.End()
	if err != nil {
		return err
	}
	if err = PrintAs(p, r, present.RepairText); err != nil || !r.Any() {
		return err
	}
	return WorkError(fmt.Errorf("not all of %s could be read", c.Data),
		c.Check.To+" holds all that could: run --data "+c.Check.To+" goes on with it",
		ExitDamaged)
}
