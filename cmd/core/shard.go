package core

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/cmd/show/report/progress"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/schedule"
	"github.com/recrawl/recrawl/eval/survey"
	"github.com/recrawl/recrawl/eval/table"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	servers "github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
)

// Program is a call of a program: its settings, and where it prints. Commands of parts are made of
// what it does, which is what commands of this package are made of.
type Program = program

// Config returns the settings, read and checked.
func (p *program) Config() *config.Config { return &p.config }

// JSON reports whether the result is printed as JSON.
func (p *program) JSON() bool { return p.json }

// Stderr returns standard error.
func (p *program) Stderr() io.Writer { return p.stderr }

// Note says something on the way, unless the program is to be quiet.
func (p *program) Note(format string, args ...any) { p.note(format, args...) }

// Warn says what is to be doubted; nothing of empty texts.
func (p *program) Warn(texts ...string) { p.warn(texts...) }

// Print prints a result, as JSON or as its finding and tables.
func (p *program) Print(result any, finding string, tables []report.Table) error {
	return p.print(result, finding, tables)
}

// PrintText prints a result, as JSON or as its text.
func (p *program) PrintText(result interface{ Text(io.Writer) error }) error {
	return p.printText(result)
}

// Publish prints a result, as JSON or as its page's finding and tables, and writes the page into a
// file; "": none.
func (p *program) Publish(result any, page report.Page, htmlFile string) error {
	return p.publish(result, page, htmlFile)
}

// Outputs refuses, before any work, files that could not be written; "" is none.
func (p *program) Outputs(paths ...string) error { return p.outputs(paths...) }

// WriteWhole writes a whole file or nothing, into a directory that is there.
func WriteWhole(path string, write func(io.Writer) error) error { return writeWhole(path, write) }

// Progress tells on standard error how far long work has come; total 0: it is not known.
func (p *program) Progress(what string, total int) *progress.Bar { return p.progress(what, total) }

// Tables begins the tables of --parquet and --csv.
func (p *program) Tables(kinds ...table.Described) (*table.Set, error) { return p.tables(kinds...) }

// Commit gives tables their names, unless err says that they could not be written.
func (p *program) Commit(s *table.Set, err error) error { return p.commit(s, err) }

// ReadHistories reads files and directories of histories, with progress.
func (p *program) ReadHistories(ctx context.Context, paths []string) ([]*history.Server, error) {
	return p.readHistories(ctx, paths)
}

// CorpusAt crawls recorded servers as they stood at the base, in weeks, for a command.
func (p *program) CorpusAt(ctx context.Context, command string, servers []*history.Server,
	base int) (*eval.Corpus, error) {
	return p.corpusAt(ctx, command, servers, base, eval.Options{})
}

// NoLinks is the error of histories of which none tells which page links to which.
func NoLinks(base int) error { return noLinks(base) }

// ReadGroups reads a file that puts servers into groups; nil if none is named.
func ReadGroups(file string) (survey.Groups, error) { return readGroups(file) }

// Servers opens what a schedule is told from; least is the time that politeness demands.
func (p *program) Servers(ctx context.Context, paths []string, least servers.Tick) (
	*schedule.Source, error) {
	return p.servers(ctx, paths, least)
}

// OpenArchive opens the archive of --archive for reading.
func (p *program) OpenArchive() (*archive.Reader, error) { return p.openArchive() }

// Filters opens the filters of the settings; nil if there are none.
func (p *program) Filters() (*filter.Set, error) { return p.filters() }

// Addresses are the pages that arguments name.
func Addresses(args []string) ([]string, error) { return canonicalSeeds(args) }

// Closing ends the use of what was opened. Its error matters only where there is no other.
func Closing(c io.Closer, err *error) { closing(c, err) }

// VersionName returns the version of the program.
func VersionName() string { return versionName() }

// SpaceIn is an error where a disk of directories is as good as full; "" is none.
func (p *program) SpaceIn(dirs ...string) error { return p.spaceIn(dirs...) }

// Shard is what a node crawls a part of all servers with, as run crawls all.
type Shard struct {
	Planner *planner.Planner
	Store   *satstore.Store
	Web     interface {
		cycle.Fetcher
		cycle.Locator
		cycle.Permitter
		cycle.Keeper
	}
	Loop    cycle.Options
	Journal func([]cycle.Event) error
	// Between is called between two visits, with what writes to the store.
	Between func(fetch.Keeper) error
	Close   func() error
}

// Shard opens the store of a shard in a directory, with a share of the workers.
func (p *program) Shard(ctx context.Context, dir string, shards int) (*Shard, error) {
	q := *p // with a data directory of its own
	q.config.Data = dir
	if q.config.Archive != "" {
		q.config.Archive = filepath.Join(q.config.Archive, filepath.Base(dir))
	}
	var b basis
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := b.open(ctx, &q); err != nil {
		return nil, errors.Join(err, b.parts.Close())
	}
	o := b.options(&q)
	o.Workers = max(2, 2*q.config.Workers/shards)
	return &Shard{Planner: b.data.plan, Store: b.data.store,
		Web: liveFetcher{Client: b.client, underWay: b.underWay, archive: b.archive,
			keeper: b.keeper},
		Close: b.parts.Close, Loop: o,
		Journal: func(events []cycle.Event) error {
			return journal.AppendVisits(b.journal, events)
		},
		Between: func(store fetch.Keeper) error {
			return errors.Join(b.client.KeepIn(store), q.copies(b.data.store))
		},
	}, nil
}
