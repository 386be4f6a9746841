package core

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch/archive/replay"
)

func (p *Program) replayCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "replay --archive DIRECTORY",
		Args: noArguments,
	}, p.replay)
}

func (p *Program) replay(ctx context.Context, _ []string) error {
	r, err := p.OpenArchive()
	if err != nil {
		return err
	}
	defer r.Close() // it was only read
	return replay.Run(ctx, r, p.config.Replay.Listen, p.config.Replay.Scripts, p.stdout)
}
