package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/failure"
	"github.com/recrawl/recrawl/cmd/setting"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus"
	"github.com/recrawl/recrawl/fetch/corpus/standard"
	"github.com/recrawl/recrawl/satstore"
)

func (p *program) corpusCommand() *cobra.Command {
	below := func(name, use string, args cobra.PositionalArgs,
		work func(context.Context, []string) error) *cobra.Command {
		cmd := p.command(&cobra.Command{Use: use,
			Annotations: map[string]string{setting.NameAs: "corpus-" + name}, Args: args}, work)
		setting.Alias(cmd, "out", "corpus")
		return cmd
	}
	return group(&cobra.Command{Use: "corpus"}, "unknown command %q of corpus",
		"recrawl corpus build, show, check, remove, weigh",
		below("build", "build --archive DIRECTORY --corpus DIRECTORY", noArguments, p.corpusBuild),
		below("remove", "remove --corpus DIRECTORY [--archive DIRECTORY] [--data DIRECTORY] "+
			"ADDRESS...", cobra.MinimumNArgs(1), p.corpusRemove),
		below("weigh", "weigh --corpus DIRECTORY", noArguments, p.corpusWeigh),
		below("check", "check --corpus DIRECTORY", noArguments, p.corpusCheck),
		below("show", "show --corpus DIRECTORY [URL|IDENTIFIER]", cobra.MaximumNArgs(1),
			p.corpusShow))
}

var errNoCorpus = failure.Usage(errors.New("no corpus given"),
	"say where it is: --corpus DIRECTORY")

// withCorpus opens the corpus of --corpus for a work.
func (p *program) withCorpus(create bool, work func(*corpus.Corpus) error) (err error) {
	if p.config.Corpus == "" {
		return errNoCorpus
	}
	c, err := corpus.Open(p.config.Corpus, create)
	if err != nil {
		return err
	}
	defer closing(c, &err)
	return work(c)
}

func (p *program) corpusBuild(ctx context.Context, _ []string) error {
	r, err := p.openArchive()
	if err != nil {
		return err
	}
	defer r.Close() // nothing was written to it
	o := corpus.Options{Settings: p.config.Build, Archive: r}
	if o.Filters, err = p.filters(); err != nil {
		return err
	}
	defer o.Filters.Close()
	if len(o.Annotate) > 0 {
		a, err := standard.Command(o.Annotate, 0)
		if err != nil {
			return err
		}
		defer a.Close()
		o.Annotator = a
	}
	stage, bar := "", p.progress("corpus", 0)
	o.Progress = func(now string, done int) {
		if now != stage {
			bar.End()
			stage, bar = now, p.progress("corpus: "+now, 0)
		}
		bar.At(done)
	}
	defer func() { bar.End() }()
	return p.withCorpus(true, func(c *corpus.Corpus) error {
		result, err := c.Build(ctx, o)
		if err != nil {
			return err
		}
		return p.printText(result)
	})
}

func (p *program) corpusShow(_ context.Context, args []string) error {
	return p.withCorpus(false, func(c *corpus.Corpus) error {
		if len(args) == 0 {
			s, err := c.Summary()
			if err != nil {
				return err
			}
			return p.printText(s)
		}
		page, err := c.Find(args[0])
		if err != nil {
			return err
		}
		return p.printText(page)
	})
}

// corpusRemove takes pages out of corpus, archive and plan. The plan comes first, so that nothing
// is fetched again meanwhile.
func (p *program) corpusRemove(ctx context.Context, args []string) (err error) {
	var rules []string
	for _, arg := range args {
		more, err := corpus.ParseRemoval(arg)
		if err != nil {
			return failure.Usage(err,
				"name a server, the beginning of addresses, or an address with $ behind it")
		}
		rules = append(rules, more...)
	}
	return p.withCorpus(false, func(c *corpus.Corpus) (err error) {
		if p.config.Data != "" {
			store, err := satstore.Open(p.config.Data, satstore.Options{})
			if err != nil {
				return err
			}
			if err := errors.Join(view.Never(store, rules), store.Close()); err != nil {
				return err
			}
		}
		r, err := c.Remove(ctx, rules)
		if err != nil {
			return err
		}
		r.Never = p.config.Data != ""
		if p.config.Archive != "" {
			if r.Archive, err = archive.Remove(p.config.Archive, func(url string) bool {
				return corpus.Removes(rules, url)
			}); err != nil {
				return err
			}
		}
		return p.printText(r)
	})
}

// corpusWeigh prints how much each page counts, for --weights.
func (p *program) corpusWeigh(ctx context.Context, _ []string) error {
	return p.withCorpus(false, func(c *corpus.Corpus) error {
		w, err := c.Weigh(ctx, p.config.Weigh, p.config.Seed)
		if err != nil {
			return err
		}
		return p.printText(w)
	})
}

func (p *program) corpusCheck(ctx context.Context, _ []string) error {
	return p.withCorpus(false, func(c *corpus.Corpus) error {
		r, err := c.Check(ctx)
		if err != nil {
			return err
		}
		if err := p.printText(r); err != nil || len(r.Damage) == 0 {
			return err
		}
		return failure.Work(errors.New("the corpus is damaged"),
			"build it anew of the archive, in an empty directory", failure.Damaged)
	})
}
