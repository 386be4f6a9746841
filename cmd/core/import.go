package core

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

func (p *Program) importCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "import (--data DIRECTORY | --set DIRECTORY | --history DIRECTORY) [FILE|DIRECTORY...]",
	}, p.imports)
}

// imports imports a list of URLs, or captures.
func (p *Program) imports(ctx context.Context, args []string) (err error) {
	c := &p.config.Import
	sources, err := captures.NewSources(args, captures.Format(c.Format))
	if err != nil {
		return err
	}
	defer Closing(sources, &err)
	if list := sources.List(); list != nil && c.History == "" {
		return p.importList(ctx, list)
	}
	if (p.config.Data == "") == (c.History == "") || c.Set != "" || c.HTML != "" ||
		c.Part != "1/1" {
		return UsageError(errors.New("captures go into --data or --history, without --set, "+
			"--part and --html, which are for one list of addresses"),
			"recrawl import --data DIRECTORY FILE...")
	}
	o := captures.Options{Server: c.Server, Links: c.History != "", Main: true, To: time.Now(),
		Whole: captures.Format(c.Format) == captures.List}
	o.From, _ = archive.ParseStamp(c.From) // checked before
	if to, err := archive.ParseStamp(c.To); err == nil && to.Before(o.To) {
		o.To = to
	}
	var store *satstore.Store
	if c.History == "" { // before reading: the store may be in use
		if store, err = satstore.Open(p.config.Data, satstore.Options{}); err != nil {
			return err
		}
		defer Closing(store, &err)
	}
	memory, _ := config.ParseSize(c.Memory)
	bar := p.Progress("reading captures", 0)
	sorter, files, err := sources.Gather(ctx, o,
		filepath.Join(p.config.Data, c.History, "import.sort"), int(memory), bar.Of)
	bar.End()
	if err != nil {
		return err
	}
	defer Closing(sorter, &err)
	if c.History != "" {
		result, err := recorded.WriteCaptured(ctx, sorter, c.History, files)
		if err != nil {
			return err
		}
		return PrintAs(p, result, present.CapturedText)
	}
	result, err := captures.TakeIn(ctx, store, sorter,
		captures.TakeInOptions{Files: files, Change: p.config.ChangeBy(), Now: time.Now(),
			Removed: func(err error) bool {
				return errors.Is(err, satstore.ErrRemoved)
			}, Begin: func() error { return crawl.ForgetMemory(store) }})
	if err != nil {
		return err
	}
	return PrintAs(p, result, present.EvidenceText)
}

func (p *Program) importList(ctx context.Context, list *captures.Input) (err error) {
	c := &p.config.Import
	if (p.config.Data == "") == (c.Set == "") {
		return UsageError(errors.New("either --data or --set says where to remember the "+
			"addresses"), "recrawl import --data DIRECTORY FILE makes them pages of a planner")
	}
	if c.Write != "" && c.Set == "" {
		return UsageError(errors.New("--write goes with --set"),
			"with --data new addresses become pages of the store")
	}
	outputs := []string{c.HTML}
	if c.Write == standardOutput {
		outputs = append(outputs, c.Write)
	}
	if err := p.Outputs(outputs...); err != nil {
		return err
	}
	memory, _ := config.ParseSize(c.Memory)
	sizes, err := seen.SizesFor(memory, c.Filter)
	if err != nil {
		return err
	}
	o := intake.Options{Sizes: sizes, Approximate: c.Approximate, Important: c.Important,
		Whole: captures.Format(c.Format) == captures.List || intake.IsOthers(list.Name)}
	o.Part, o.Parts, _ = seen.ParsePart(c.Part)
	into := intake.Target{Set: c.Set, Write: c.Write, Memory: int64(memory)}
	if c.Write == standardOutput {
		into.Out = p.file
	}
	if p.config.Data != "" {
		var store *satstore.Store
		if store, err = satstore.Open(p.config.Data, satstore.Options{}); err != nil {
			return err
		}
		defer Closing(store, &err)
		into.Set, into.Store = intake.SetIn(p.config.Data), store
		arena.KeepHeapSmall() // the index of the store grows with its pages
	}
	bar := p.Progress("MB of the list", int(list.Size/1e6))
	o.Progress = func(bytes int64) { bar.At(int(bytes / 1e6)) }
	result, err := intake.Into(ctx, into, list, o)
	bar.End()
	if err != nil {
		return err
	}
	if err := result.Useless(); err != nil {
		return UsageError(err, "import takes text with a whole address a line, alone or "+
			"in a column; --format list takes commas for parts of addresses")
	}
	noun := "page"
	if into.Store == nil {
		noun = "address"
	}
	return p.Publish(result, present.AddressesPage(result, noun, c.Verbose), c.HTML)
}
