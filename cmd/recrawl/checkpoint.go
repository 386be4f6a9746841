package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/checkpoint"
)

func (p *program) checkpointCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "checkpoint --data DIRECTORY --to DIRECTORY",
		Short: "Copy a store consistently, also while run uses it",
		Long: `checkpoint copies the planner's store into a new directory, as it stands between two visits. plan,
explain, sites, check and inspect can read the copy while run works.

While run uses the store, run itself makes the copy, within about a second: checkpoint leaves a
request for it in the directory. If several ask at a time, each gets a copy, one after the other.
Files that no longer change are shared by hard links where the file system has them, so a copy on
the same disk is quick and small. The journal is not copied.`,
		Example: "  recrawl checkpoint --data crawl --to /backup/crawl-monday\n  recrawl plan --data /backup/crawl-monday",
		Args:    noArguments,
	}, p.checkpoint)
}

func (p *program) checkpoint(ctx context.Context, _ []string) error {
	c := &p.config
	switch {
	case c.Data == "":
		return errNoData
	case c.Checkpoint.To == "":
		return usageError{errors.New("no directory for the copy given"), "name one that does not exist: --to DIRECTORY"}
	}
	to, err := filepath.Abs(c.Checkpoint.To)
	if err != nil {
		return fmt.Errorf("directory of the copy: %w", err)
	}
	if _, err := os.Lstat(to); err == nil {
		return usageError{fmt.Errorf("%s is there already", to), "a copy goes into a new directory"}
	}
	if _, err := os.Stat(filepath.Dir(to)); err != nil {
		return fmt.Errorf("directory of the copy: %w", err)
	}
	running, err := checkpoint.Make(ctx, c.Data, to)
	if err != nil {
		return err
	}
	result := checkpoint.Result{Data: c.Data, To: c.Checkpoint.To, Running: running}
	return p.printText(result)
}

// copies makes the copies of a store that were asked for while run works on it.
func (p *program) copies(store *satstore.Store) error {
	return checkpoint.Answer(p.config.Data, store, func(err error) {
		p.note("warning: a copy was asked for: %v", err)
	})
}
