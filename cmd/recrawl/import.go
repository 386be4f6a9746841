package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/recrawl/setting"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// ImportConfig are the settings of import.
type ImportConfig struct {
	Set         string   `help:"instead of --data: directory of a set of addresses alone, without pages"`
	Write       string   `help:"with --set: write new addresses to the end of this file"`
	Memory      string   `default:"256MiB" help:"memory to decide with; store and program come on top"`
	Filter      bool     `default:"true" help:"a Stable Bloom Filter Light between cache and set"`
	Approximate bool     `help:"do not confirm what the filter has: about 1 % of the new addresses are lost [SBFL]"`
	Important   []string `help:"addresses that begin so are never left to the filter; may be repeated"`
	Part        string   `default:"1/1" help:"take the servers of one of several machines, as 2/4"`
	HTML        string   `help:"also write a report with the memory over time to this file"`
}

func (c *ImportConfig) check(r *setting.Review) {
	if n, err := parseSize(c.Memory); err != nil || n < seen.LeastMemory {
		r.Refuse("import.memory", c.Memory, fmt.Sprintf("a size of %d MiB or more, as 256MiB", seen.LeastMemory>>20))
	}
	if _, _, err := seen.ParsePart(c.Part); err != nil {
		r.Refuse("import.part", c.Part, "a part of a number of parts, as 2/4")
	}
	if c.Approximate && !c.Filter {
		r.Refuse("import.approximate", c.Approximate, "no approximation without --filter")
	}
}

func (p *program) importCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "import (--data DIRECTORY | --set DIRECTORY) [FILE]",
		Short: "Take in a list of addresses, each once",
		Long: `import reads a list of addresses, one a line, from a file or from standard input, and makes those
known to the planner that it does not know: each as if it had been given to run, which visits it when
its turn comes. Lines that are no addresses are counted and named, and stop nothing.

What is known is decided by three parts [SBFL]: a cache of the addresses seen last, a filter of those
that left the cache, and a set of fingerprints on disk (seen/ in the data directory), which is asked
for many at once. Nothing is lost: what the filter has is confirmed by the set later. --approximate does
not confirm, as in the paper: that saves the questions, and loses about one new address in a hundred.
The first page of a server ("/") and --important addresses are never left to the filter.

--memory bounds what all three parts take. The larger it is, the fewer times the set is read.
An import that was interrupted, or ended by a full disk, is done by giving the list again. With --data the
directory must not be in use by run. Pages that run has found count as known.

--set takes a directory without pages: what was seen is remembered, and --write has the new ones.
--part 2/4 takes the servers of the second of four machines: together they find what one would.

` + intake.JSON,
		Example: `  recrawl import --data crawl urls.txt
  recrawl import --data crawl --memory 1GiB --important https://www.example.org/news/ urls.txt
  recrawl import --set seen --write new.txt --html import.html urls.txt`,
		Args: cobra.MaximumNArgs(1),
	}, p.importList)
}

// programBytes is what the program takes beside the memory of --memory: above it, freed memory is
// collected more often.
const programBytes = 48 << 20

func (p *program) importList(ctx context.Context, args []string) (err error) {
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
	list, size := os.Stdin, int64(0)
	if path := strings.Join(args, ""); path != "" && path != "-" {
		if list, err = os.Open(path); err != nil {
			return fmt.Errorf("read the list: %w", err)
		}
		defer list.Close()
		if info, err := list.Stat(); err == nil {
			size = info.Size()
		}
	}
	memory, _ := parseSize(c.Memory)
	sizes, err := seen.SizesFor(memory, c.Filter)
	if err != nil {
		return err
	}
	o := intake.Options{Sizes: sizes, Approximate: c.Approximate, Important: c.Important}
	o.Part, o.Parts, _ = seen.ParsePart(c.Part)
	dir := c.Set
	var store *satstore.Store
	if p.config.Data != "" {
		dir = intake.SetIn(p.config.Data)
		if store, err = satstore.Open(p.config.Data, satstore.Options{}); err != nil {
			return err
		}
		defer closing(store, &err)
		scratch.KeepHeapSmall() // the index of the store grows with its pages
	} else {
		debug.SetMemoryLimit(int64(memory) + programBytes)
	}
	if o.Set, err = seen.OpenSet(dir, seen.SetOptions{BufferKeys: sizes.BufferKeys}); err != nil {
		return err
	}
	defer closing(o.Set, &err)
	caughtUp := 0
	switch {
	case store != nil:
		if caughtUp, err = intake.CatchUp(o.Set, store); err != nil {
			return err
		}
		o.Keeper = intake.NewPages(store, o.Set, time.Now())
	case c.Write != "":
		lines, err := intake.NewLines(c.Write)
		if err != nil {
			return err
		}
		defer closing(lines, &err)
		o.Keeper = lines
	default:
		o.Keeper = intake.Nobody{}
	}
	bar := p.progress("MB of the list", int(size/1e6))
	o.Progress = func(bytes int64) { bar.At(int(bytes / 1e6)) }
	result, err := intake.Run(ctx, list, o)
	bar.End()
	if err != nil {
		return err
	}
	result.CaughtUp = caughtUp
	if err := result.Useless(); err != nil {
		return usageError{err, "import takes text with an address a line, in UTF-8"}
	}
	return p.publish(result, result.Page(), c.HTML)
}
