package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch/archive/replay"
)

func (p *program) replayCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "replay --archive DIRECTORY",
		Short: "Serve what run kept to a browser on this machine",
		Long: `replay serves the captures of an archive on loopback:

  http://127.0.0.1:8088/web/20260131/https://example.org/      as it was then, links lead to captures
  http://127.0.0.1:8088/web/20260131id_/https://example.org/   the same, octet for octet
  http://127.0.0.1:8088/web/*/https://example.org/             all captures of the page

Nothing of a capture runs or makes the browser ask the live web: scripts, forms and refreshes are off.
It serves what is in the archive when it starts, also while run works. Ctrl-C ends it.`,
		Example: "  recrawl replay --archive warc\n  recrawl replay --archive warc --listen 127.0.0.1:9000",
		Args:    noArguments,
	}, p.replay)
}

func (p *program) replay(ctx context.Context, _ []string) error {
	r, err := p.openArchive()
	if err != nil {
		return err
	}
	defer r.Close() // nothing was written to it
	return replay.Run(ctx, r, p.config.Listen, p.stdout)
}
