package search

import (
	"context"
	"errors"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/requisite"
	"github.com/recrawl/recrawl/satstore"
)

var errNoCorpus = core.UsageError(errors.New("no corpus given"),
	"give its directory: --corpus DIRECTORY")

// withCorpus opens the corpus of --corpus, calls work, and closes the corpus.
func withCorpus(p *core.Program, create bool, work func(*corpus.Corpus) error) (err error) {
	if p.Config().Corpus == "" {
		return errNoCorpus
	}
	c, err := corpus.Open(p.Config().Corpus, create)
	if err != nil {
		return err
	}
	defer core.Closing(c, &err)
	return work(c)
}

func buildCorpus(ctx context.Context, p *core.Program, _ []string) error {
	r, err := p.OpenArchive()
	if err != nil {
		return err
	}
	defer r.Close() // it is only read, so its errors lose nothing
	o := corpus.Options{Settings: corpus.Settings(p.Config().Build), Archive: r,
		Show: core.NewReader().Show}
	o.Documents, _ = extract.ParseForms(p.Config().Documents) // the settings are checked
	if o.Filters, err = p.Filters(); err != nil {
		return err
	}
	defer o.Filters.Close()
	if len(o.Annotate) > 0 {
		a, err := corpus.AnnotatorCommand(o.Annotate, 0)
		if err != nil {
			return err
		}
		defer a.Close()
		o.Annotator = a
	}
	stage, bar := "", p.Progress("corpus", 0)
	o.Progress = func(now string, done int) {
		if now != stage {
			bar.End()
			stage, bar = now, p.Progress("corpus: "+now, 0)
		}
		bar.At(done)
	}
	defer func() { bar.End() }()
	return withCorpus(p, true, func(c *corpus.Corpus) error {
		result, err := c.Build(ctx, o)
		if err != nil {
			return err
		}
		return core.PrintAs(p, result, builtText)
	})
}

func showCorpus(_ context.Context, p *core.Program, args []string) error {
	return withCorpus(p, false, func(c *corpus.Corpus) error {
		if len(args) == 0 {
			s, err := c.Summary()
			if err != nil {
				return err
			}
			return core.PrintAs(p, s, summaryText)
		}
		page, err := c.Find(args[0])
		if err != nil {
			return err
		}
		return core.PrintAs(p, page, pageText)
	})
}

// removeCorpus removes pages from plan, corpus and archive. It begins with the plan, so that no
// removed page is fetched again.
func removeCorpus(ctx context.Context, p *core.Program, args []string) (err error) {
	var rules []string
	for _, arg := range args {
		more, err := corpus.ParseRemoval(arg)
		if err != nil {
			return core.UsageError(err,
				"give a server, the beginning of URLs, or a URL followed by $")
		}
		rules = append(rules, more...)
	}
	return withCorpus(p, false, func(c *corpus.Corpus) (err error) {
		if p.Config().Data != "" {
			store, err := satstore.Open(p.Config().Data, satstore.Options{})
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
		r.Never = p.Config().Data != ""
		if p.Config().Archive != "" {
			of := func(url string) bool { return corpus.Removes(rules, url) }
			if r.Archive, err = archive.Remove(p.Config().Archive, of); err != nil {
				return err
			}
			if err := requisite.Forget(p.Config().Archive, of); err != nil {
				return err
			}
		}
		return core.PrintAs(p, r, removalText)
	})
}

// weighCorpus prints the weight of each page, for --weights.
func weighCorpus(ctx context.Context, p *core.Program, _ []string) error {
	return withCorpus(p, false, func(c *corpus.Corpus) error {
		w, err := c.Weigh(ctx, corpus.WeighSettings(p.Config().Weigh), p.Config().Seed)
		if err != nil {
			return err
		}
		return core.PrintAs(p, w, weighedText)
	})
}

func checkCorpus(ctx context.Context, p *core.Program, _ []string) error {
	return withCorpus(p, false, func(c *corpus.Corpus) error {
		r, err := c.Check(ctx)
		if err != nil {
			return err
		}
		if err := core.PrintAs(p, r, checkedText); err != nil || len(r.Damage) == 0 {
			return err
		}
		return core.WorkError(errors.New("the corpus is damaged"),
			"build it again from the archive, in an empty directory", core.ExitDamaged)
	})
}
