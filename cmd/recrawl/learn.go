package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/failure"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/learn"
	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/eval/report/progress"
	"github.com/recrawl/recrawl/planner/value"
)

func (p *program) learnCommand() *cobra.Command {
	var output string
	cmd := p.command(&cobra.Command{
		Use: "learn FILE|DIRECTORY... --output FILE | learn --data DIRECTORY",
	}, func(ctx context.Context, args []string) error { return p.learn(ctx, args, output) })
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write the parameters to")
	return cmd
}

// relearn learns from the journal of a crawl.
func (p *program) relearn(ctx context.Context) error {
	stages := p.stages(ctx)
	r, err := recorded.Relearn(p.config.Data, p.config.Seed, stages.Tell)
	stages.End()
	if err != nil {
		return err
	}
	return p.print(r, r.Finding(), r.Tables())
}

func (p *program) learn(ctx context.Context, paths []string, output string) error {
	switch {
	case p.config.Data != "" && (len(paths) > 0 || output != ""):
		return failure.Usage(errors.New("--data stands beside histories or an output"),
			"learn from a crawl, recrawl learn --data DIRECTORY, or from histories, recrawl "+
				"learn FILE... --output FILE")
	case p.config.Data != "":
		return p.relearn(ctx)
	case len(paths) == 0:
		return noHistories("recrawl learn")
	case output == "":
		return failure.Usage(errors.New("no output given"),
			"say where the parameters go: --output value_model.json")
	}
	if err := p.outputs(output); err != nil {
		return err
	}
	kinds, err := p.readKinds(ctx, paths)
	if err != nil {
		return err
	}
	learnt, err := p.parameters(ctx, kinds, 1, nil)
	if err != nil {
		return err
	}
	m := learnt.Of(eval.OwnPolicy, "")
	m.Source = learn.Source(p.config.ChangeBy(), kinds)
	return p.writeWhole(output, func(w io.Writer) error { return json.NewEncoder(w).Encode(m) })
}

// readKinds reads the histories of several kinds of web.
func (p *program) readKinds(ctx context.Context, paths []string) (
	kinds [][]*history.Server, err error) {
	for _, group := range history.Kinds(paths) {
		servers, err := p.readHistories(ctx, group)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, servers)
	}
	return kinds, nil
}

// parameters learns with progress, for so many folds of the servers.
func (p *program) parameters(ctx context.Context, kinds [][]*history.Server, folds int,
	variants []string) (*learn.Parameters, error) {
	bar := p.progress("learning", 0)
	defer bar.End()
	o := learn.Usual(ctx, kinds, p.config.ChangeBy())
	o.Folds, o.Variants, o.Seed, o.Tick = folds, variants, p.config.Seed, bar.Reach
	if !progress.IsTerminal(p.stderr) { // there the bar would write over it
		o.Log = func(format string, args ...any) {
			if !p.quiet {
				fmt.Fprintf(p.stderr, format+"\n", args...)
			}
		}
	}
	return learn.Models(ctx, o)
}

// learnt is what the policies of an evaluation go by: learnt now by folds, from a file, or what
// comes with the program.
func (p *program) learnt(ctx context.Context, servers []*history.Server) (*eval.Learnt, error) {
	c := &p.config.Eval
	if c.Folds == 0 {
		if c.Model == "" {
			return learn.Given(value.DefaultModel(), servers), nil
		}
		m, err := readModel(c.Model)
		if err != nil {
			return nil, err
		}
		return learn.Given(m, servers), nil
	}
	if learn.UsedFolds(servers, c.Folds) < 2 {
		return nil, failure.Usage(fmt.Errorf("--folds %d: all %d servers fall into one fold, by "+
			"their names: there is nothing to learn from", c.Folds, len(servers)),
			"evaluate more servers, or take another number of folds")
	}
	kinds, err := p.readKinds(ctx, c.LearnFrom)
	if err != nil {
		return nil, err
	}
	all, err := p.parameters(ctx, slices.Concat([][]*history.Server{servers}, kinds), c.Folds,
		c.Lineup().Variants())
	if err != nil {
		return nil, err
	}
	return all.Learnt(servers), nil
}

// readModel reads a file of learn.
func readModel(path string) (*value.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, failure.Usage(fmt.Errorf("read parameters: %w", err),
			"recrawl learn makes such a file")
	}
	defer f.Close()
	m, err := value.ReadModel(f)
	if err != nil {
		return nil, failure.Usage(fmt.Errorf("read parameters from %s: %w", path, err),
			"recrawl learn makes such a file")
	}
	return m, nil
}
