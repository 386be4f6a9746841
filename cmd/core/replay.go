package core

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch/archive/replay"
)

func (p *program) replayCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "replay --archive DIRECTORY",
		Args: noArguments,
	}, p.replay)
}

func (p *program) replay(ctx context.Context, _ []string) error {
	r, err := p.openArchive()
	if err != nil {
		return err
	}
	defer r.Close() // nothing was written to it
	return replay.Run(ctx, r, p.config.Replay.Listen, p.config.Replay.Scripts, p.stdout)
}
