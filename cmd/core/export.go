package core

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/fetch/archive"
)

func (p *Program) exportCommand() *cobra.Command {
	var history string
	var to archive.ExportTo
	var force bool
	cmd := p.command(&cobra.Command{
		Use: "export (--data DIRECTORY (--history DIRECTORY | --parquet DIRECTORY | --csv " +
			"DIRECTORY) | HISTORY... (--parquet DIRECTORY | --csv DIRECTORY) | --archive " +
			"DIRECTORY (--warc DIRECTORY | --cdxj FILE | --wacz FILE) [--force])",
		Args: cobra.ArbitraryArgs,
	}, func(ctx context.Context, paths []string) error {
		asked := p.review.From("parquet") == config.FromFlag ||
			p.review.From("csv") == config.FromFlag
		other := history != "" || to != (archive.ExportTo{})
		switch {
		case other && (asked || len(paths) > 0):
			return UsageError(errors.New("export writes one thing: tables, --history, or what "+
				"--archive has"), "call it once for each; tables are of histories or of --data")
		case !other && (len(paths) > 0 || p.config.Parquet != "" || p.config.CSV != ""):
			return p.exportTables(ctx, paths)
		case to == (archive.ExportTo{}) && force:
			return UsageError(errors.New("--force goes with --warc, --cdxj and --wacz"),
				"histories and tables that are there are never replaced")
		case to == (archive.ExportTo{}):
			return p.export(ctx, history)
		}
		to.Force = force
		to.Out = p.stdout
		return p.exportArchive(ctx, to)
	})
	cmd.Flags().StringVar(&history, "history", "",
		"directory for the histories; it is made if need be")
	cmd.Flags().StringVar(&to.WARC, "warc", "",
		"directory for copies of the WARC files; it is made if need be; - for standard output")
	cmd.Flags().StringVar(&to.CDXJ, "cdxj", "",
		"file for the index of all captures; - for standard output")
	cmd.Flags().StringVar(&to.WACZ, "wacz", "",
		"file for the whole archive, as WACZ 1.1.1; - for standard output")
	cmd.Flags().BoolVar(&force, "force", false,
		"replace what is there of the files that --warc, --cdxj and --wacz name")
	return cmd
}

var errNoArchive = UsageError(errors.New("no archive given"),
	"say where run kept what it fetched: --archive DIRECTORY")

// OpenArchive opens the archive of --archive for reading.
func (p *Program) OpenArchive() (*archive.Reader, error) {
	if p.config.Archive == "" {
		return nil, errNoArchive
	}
	r, err := archive.OpenReader(p.config.Archive)
	if err == nil {
		p.Warn(r.Notes()...)
	}
	return r, err
}

func (p *Program) exportArchive(ctx context.Context, to archive.ExportTo) error {
	streams := 0
	for _, path := range []string{to.WARC, to.CDXJ, to.WACZ} {
		if path == archive.StandardOutput {
			streams++
		}
	}
	if streams > 1 || streams > 0 && p.json {
		return UsageError(errors.New("standard output can take one result"),
			"use - once, and without --json; name files for the others")
	}
	for _, path := range []string{to.CDXJ, to.WACZ} {
		if path != archive.StandardOutput {
			if err := writable(path); err != nil {
				return err
			}
		}
	}
	r, err := p.OpenArchive()
	if err != nil {
		return err
	}
	defer r.Close() // it was only read
	to.Software, to.Created = "recrawl/"+VersionName(), time.Now().UTC().Format(time.RFC3339)
	bar := p.Progress("bytes", 0)
	result, err := archive.Export(ctx, r, to, bar.Of)
	bar.End()
	if errors.Is(err, fs.ErrExist) {
		return UsageError(err, "--force replaces it; or name another file")
	}
	if err != nil {
		return err
	}
	if streams > 0 {
		return present.ArchiveText(result, p.beside())
	}
	return PrintAs(p, result, present.ArchiveText)
}

func (p *Program) export(ctx context.Context, to string) error {
	c := &p.config
	switch {
	case to == archive.StandardOutput:
		return UsageError(errors.New("histories are a directory of files, one a server"),
			"name a directory: --history histories")
	case c.Data == "":
		return errNoData
	case to == "":
		return UsageError(errors.New("no directory for the histories given"),
			"name one with --history histories; --archive exports the kept answers")
	}
	stages := p.stages(ctx)
	result, err := recorded.WriteHistories(c.Data, to, stages.Tell)
	stages.End()
	if err != nil {
		return err
	}
	return PrintAs(p, result, present.RecordedText)
}
