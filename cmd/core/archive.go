package core

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/requisite"
)

func (p *Program) archiveCommand() *cobra.Command {
	return group(&cobra.Command{Use: "archive"}, "unknown command %q of archive",
		"recrawl archive status", p.command(&cobra.Command{
			Use:         "status --archive DIRECTORY [--data DIRECTORY]",
			Annotations: map[string]string{config.NameAs: "archive-status"},
			Args:        noArguments,
		}, p.archiveStatus))
}

func (p *Program) archiveStatus(context.Context, []string) error {
	r, err := p.OpenArchive()
	if err != nil {
		return err
	}
	defer r.Close() // it was only read
	journal := ""
	if p.config.Data != "" {
		journal = filepath.Join(p.config.Data, "journal")
	}
	status, err := archive.StatusOf(r, journal, time.Now())
	if err != nil {
		return err
	}
	waits := &status.Requisites
	if waits.Waiting, waits.Unkept, err = requisite.Pending(p.config.Archive); err != nil {
		return err
	}
	return p.Print(status, inside.ArchiveFinding(status), inside.ArchiveTables(status))
}
