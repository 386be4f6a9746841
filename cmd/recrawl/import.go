package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/setting"
	"github.com/recrawl/recrawl/eval/captured"
	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/fetch/archive/cdxj"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/evidence"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// ImportConfig are the settings of import.
type ImportConfig struct {
	Set         string   `path:"directory" help:"instead of --data: directory of a set of addresses alone, without pages"`
	Write       string   `path:"any" help:"with --set: write new addresses to the end of this file"`
	Memory      string   `default:"256MiB" help:"memory to decide with; store and program come on top"`
	Filter      bool     `default:"true" help:"a Stable Bloom Filter Light between cache and set"`
	Approximate bool     `help:"do not confirm what the filter has: about 1 % of the new addresses are lost [SBFL]"`
	Important   []string `help:"addresses that begin so are never left to the filter; may be repeated"`
	Part        string   `default:"1/1" help:"take the servers of one of several machines, as 2/4"`
	HTML        string   `path:"any" help:"also write a report with the memory over time to this file"`

	History string `path:"directory" help:"instead of --data: make histories of the captures, for eval, in this directory"`
	Format  string `names:"{formats}" help:"what the files are, where that cannot be told from them: list, sitemap, cdxj, cdx, warc, wacz, nutch, log"`
	Server  string `help:"the server of a log, as https://example.org"`
	From    string `help:"leave out captures before this moment, as 2025 or 20250131"`
	To      string `help:"leave out captures from this moment on"`
}

func (c *ImportConfig) check(r *setting.Review) {
	if n, err := parseSize(c.Memory); err != nil || n < seen.LeastMemory {
		r.Refuse("import.memory", c.Memory, fmt.Sprintf("a size of %d MiB or more, as 256MiB", seen.LeastMemory>>20))
	}
	if _, _, err := seen.ParsePart(c.Part); err != nil {
		r.Refuse("import.part", c.Part, "a part of a number of parts, as 2/4")
	}
	for key, moment := range map[string]string{"import.from": c.From, "import.to": c.To} {
		if _, err := cdxj.ParseStamp(moment); moment != "" && err != nil {
			r.Refuse(key, moment, "a moment of 4 to 14 digits, as 20250131")
		}
	}
	if c.Format != "" && !slices.Contains(captures.Formats, captures.Format(c.Format)) {
		r.Refuse("import.format", c.Format, "one of "+captures.FormatNames())
	}
	if c.Approximate && !c.Filter {
		r.Refuse("import.approximate", c.Approximate, "no approximation without --filter")
	}
}

func (p *program) importCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "import (--data DIRECTORY | --set DIRECTORY | --history DIRECTORY) [FILE|DIRECTORY...]",
	}, p.imports)
}

// imports takes in a list of addresses, or captures.
func (p *program) imports(ctx context.Context, args []string) (err error) {
	c := &p.config.Import
	sources, err := captures.NewSources(args, captures.Format(c.Format))
	if err != nil {
		return err
	}
	defer closing(sources, &err)
	if list := sources.List(); list != nil && c.History == "" {
		return p.importList(ctx, list)
	}
	if (p.config.Data == "") == (c.History == "") || c.Set != "" || c.HTML != "" || c.Part != "1/1" {
		return usageError{errors.New("captures go into --data or --history, without --set, --part and --html, which are for one list of addresses"), "recrawl import --data DIRECTORY FILE..."}
	}
	o := captures.Options{Server: c.Server, Links: c.History != "", Main: true, To: time.Now()}
	o.From, _ = cdxj.ParseStamp(c.From) // checked before
	if to, err := cdxj.ParseStamp(c.To); err == nil && to.Before(o.To) {
		o.To = to
	}
	var store *satstore.Store
	if c.History == "" { // before anything is read: it may be in use
		if store, err = satstore.Open(p.config.Data, satstore.Options{}); err != nil {
			return err
		}
		defer closing(store, &err)
	}
	memory, _ := parseSize(c.Memory)
	bar := p.progress("reading captures", 0)
	sorter, files, err := sources.Gather(ctx, o, filepath.Join(p.config.Data, c.History, "import.sort"), int(memory), bar.Of)
	bar.End()
	if err != nil {
		return err
	}
	defer closing(sorter, &err)
	if c.History != "" {
		result, err := captured.Write(ctx, sorter, c.History, files)
		if err != nil {
			return err
		}
		return p.printText(result)
	}
	result, err := evidence.Run(ctx, store, sorter, evidence.Options{Files: files, Change: p.config.changeBy(), Now: time.Now(),
		Removed: func(err error) bool { return errors.Is(err, satstore.ErrRemoved) }, Begin: func() error { return cycle.ForgetMemory(store) }})
	if err != nil {
		return err
	}
	return p.printText(result)
}

func (p *program) importList(ctx context.Context, list *captures.Input) (err error) {
	c := &p.config.Import
	if (p.config.Data == "") == (c.Set == "") {
		return usageError{errors.New("either --data or --set says where to remember the addresses"), "recrawl import --data DIRECTORY FILE makes them pages of a planner"}
	}
	if c.Write != "" && c.Set == "" {
		return usageError{errors.New("--write goes with --set"), "with --data new addresses become pages of the store"}
	}
	if err := writable(c.HTML); err != nil {
		return err
	}
	memory, _ := parseSize(c.Memory)
	sizes, err := seen.SizesFor(memory, c.Filter)
	if err != nil {
		return err
	}
	o := intake.Options{Sizes: sizes, Approximate: c.Approximate, Important: c.Important}
	o.Part, o.Parts, _ = seen.ParsePart(c.Part)
	into := intake.Target{Set: c.Set, Write: c.Write, Memory: int64(memory)}
	if p.config.Data != "" {
		var store *satstore.Store
		if store, err = satstore.Open(p.config.Data, satstore.Options{}); err != nil {
			return err
		}
		defer closing(store, &err)
		into.Set, into.Store = intake.SetIn(p.config.Data), store
		scratch.KeepHeapSmall() // the index of the store grows with its pages
	}
	bar := p.progress("MB of the list", int(list.Size/1e6))
	o.Progress = func(bytes int64) { bar.At(int(bytes / 1e6)) }
	result, err := intake.Into(ctx, into, list, o)
	bar.End()
	if err != nil {
		return err
	}
	if err := result.Useless(); err != nil {
		return usageError{err, "import takes text with an address a line, in UTF-8"}
	}
	return p.publish(result, result.Page(), c.HTML)
}
