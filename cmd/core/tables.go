package core

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/eval/tidy"
)

// Tables starts the tables of --parquet and --csv; without either, a set that writes nothing. It
// refuses existing tables before any work.
func (p *Program) Tables(kinds ...tidy.Described) (*tidy.Tables, error) {
	return tidy.CreateTables(p.config.Parquet, p.config.CSV, kinds...)
}

// Commit names the tables of a set and lists them, unless err says that they could not be written.
func (p *Program) Commit(s *tidy.Tables, err error) error {
	if err == nil {
		err = s.Commit()
	}
	if err != nil {
		return err
	}
	for _, dir := range []string{p.config.Parquet, p.config.CSV} {
		if dir != "" {
			p.Note("tables in %s: %s", dir, strings.Join(s.Names(), ", "))
		}
	}
	return nil
}

// exportTables writes histories, or the journal of --data, as tables.
func (p *Program) exportTables(ctx context.Context, paths []string) error {
	data, kinds := p.config.Data, tidy.ForHistories
	if len(paths) == 0 {
		kinds = tidy.ForJournal
	}
	tables, err := p.Tables(kinds...)
	if err != nil {
		return err
	}
	defer tables.Discard()
	var result *tidy.Export
	switch {
	case tables.Empty():
		return UsageError(errors.New("histories are exported as tables, and no directory for "+
			"them is given"), "say where they go: --parquet tables, or --csv tables")
	case len(paths) > 0 && data != "" && p.review.From("data") == config.FromFlag:
		return UsageError(errors.New("export takes one source: histories or --data"),
			"call it once for each, with another directory")
	case len(paths) > 0:
		servers, err := p.ReadHistories(ctx, paths)
		if err != nil {
			return err
		}
		if result, err = tidy.WriteHistories(tables, servers); err != nil {
			return err
		}
	case data == "":
		return errNoData
	default:
		stages := p.stages(ctx)
		result, err = tidy.WriteJournal(tables, filepath.Join(data, "journal"), stages.Tell)
		stages.End()
		if err != nil {
			return noJournal(err)
		}
	}
	if err := p.Commit(tables, nil); err != nil {
		return err
	}
	return PrintAs(p, result, present.RowsText)
}
