package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/satstore"
)

func (p *Program) checkpointCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "checkpoint --data DIRECTORY --to DIRECTORY",
		Args: noArguments,
	}, p.checkpoint)
}

func (p *Program) checkpoint(ctx context.Context, _ []string) error {
	c := &p.config
	switch {
	case c.Data == "":
		return errNoData
	case c.Checkpoint.To == "":
		return UsageError(errors.New("no directory for the copy given"),
			"name one that does not exist: --to DIRECTORY")
	}
	to, err := filepath.Abs(c.Checkpoint.To)
	if err != nil {
		return fmt.Errorf("directory of the copy: %w", err)
	}
	if _, err := os.Lstat(to); err == nil {
		return UsageError(fmt.Errorf("%s is there already", to),
			"a copy goes into a new directory")
	}
	if _, err := os.Stat(filepath.Dir(to)); err != nil {
		return fmt.Errorf("directory of the copy: %w", err)
	}
	stages := p.stages(ctx)
	running, err := satstore.MakeCheckpoint(ctx, c.Data, to, stages.Tell)
	stages.End()
	if err != nil {
		return err
	}
	if !running { // a running program has copied them
		if err := copySettings(c.Data, to); err != nil {
			return err
		}
	}
	result := satstore.Checkpoint{Data: c.Data, To: c.Checkpoint.To, Running: running}
	return PrintAs(p, result, present.CheckpointText)
}

// copies makes the requested copies of a store while run works on it.
func (p *Program) copies(store *satstore.Store) error {
	return satstore.AnswerCheckpoint(p.config.Data, withSettings{store, p.config.Data},
		func(err error) { p.Note("warning: a copy was asked for: %v", err) })
}

// withSettings is a store whose copies also have the settings of the last run.
type withSettings struct {
	*satstore.Store
	data string // the directory of the store
}

// Checkpoint copies the store, and then the settings.
func (s withSettings) Checkpoint(to string) error {
	if err := s.Store.Checkpoint(to); err != nil {
		return err
	}
	return copySettings(s.data, to)
}
