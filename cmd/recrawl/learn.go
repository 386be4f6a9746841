package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/learn"
	"github.com/recrawl/recrawl/planner/value"
)

func (p *program) learnCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "learn FILE|DIRECTORY...",
		Short: "Learn the parameters of the policy value from histories",
		Long: `learn makes the parameters of the policy value. It replays histories by the protocols of eval,
records what value knew of pages and whether they had changed, and fits boosted trees and a
perceptron to that. The parameters that come with the program were made by it. It takes minutes:
three on two cores for 40,000 pages.

The file holds thresholds and weights, the command's name and a fingerprint of the servers, and
nothing of any page. The same histories, options and seed give the same file. eval --model reads it.
On the histories that the parameters were learnt from, value looks better than it is: eval --folds
learns them on other servers than those it measures.`,
		Example: `  recrawl learn histories/ -o value_model.json
  recrawl eval others/ --protocol stream --model value_model.json`,
		Args: someHistories,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			if output == "" {
				return usageError{errors.New("no output given"), "say where the parameters go: --output value_model.json"}
			}
			return p.learn(cmd.Context(), args, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write the parameters to")
	addSettings(cmd)
	return cmd
}

func (p *program) learn(ctx context.Context, paths []string, output string) error {
	if err := writable(output); err != nil {
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
	m := learnt.Of(ownPolicy, "")
	m.Source = learn.Source(p.config.changeBy(), kinds)
	return writeWhole(output, func(w io.Writer) error { return json.NewEncoder(w).Encode(m) })
}

// readKinds reads the histories of several kinds of web: each directory is one, and so are all files
// together that are named one by one.
func (p *program) readKinds(ctx context.Context, paths []string) (kinds [][]*history.Server, err error) {
	var groups [][]string
	var files []string
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			groups = append(groups, []string{path})
		} else {
			files = append(files, path)
		}
	}
	if len(files) > 0 {
		groups = append(groups, files)
	}
	for _, group := range groups {
		servers, err := p.readHistories(ctx, group)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, servers)
	}
	return kinds, nil
}

// parameters learns with progress, for so many folds of the servers.
func (p *program) parameters(ctx context.Context, kinds [][]*history.Server, folds int, variants []string) (*learn.Parameters, error) {
	bar := p.progress("learning", 0)
	defer bar.End()
	return learn.Models(ctx, learn.Options{
		Folds: folds, Rounds: 2, Seed: p.config.Seed, Trees: learn.ShippedTrees, Net: learn.ShippedNet, Variants: variants,
		Tick: bar.Reach,
		Log: func(format string, args ...any) {
			if !p.quiet && !isTerminal(p.stderr) { // there the bar would write over it
				fmt.Fprintf(p.stderr, format+"\n", args...)
			}
		},
		Kinds:  len(kinds),
		Window: func(kind int) int { return learn.Window(kinds[kind]) },
		Open: func(kind, base, weeks int, by *eval.Learnt) (*eval.Corpus, error) {
			c, err := eval.NewCorpus(ctx, kinds[kind], eval.Options{Base: time.Duration(base) * week, History: weeks, Change: p.config.changeBy()})
			if err == nil {
				c.Learnt = by
			}
			return c, err
		},
	})
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
		return nil, usageError{fmt.Errorf("--folds %d: all %d servers fall into one fold, by their names: there is nothing to learn from", c.Folds, len(servers)),
			"evaluate more servers, or take another number of folds"}
	}
	kinds, err := p.readKinds(ctx, c.LearnFrom)
	if err != nil {
		return nil, err
	}
	all, err := p.parameters(ctx, append(kinds, servers), c.Folds, c.variants())
	if err != nil {
		return nil, err
	}
	return all.Learnt(servers), nil
}

// readModel reads a file of learn.
func readModel(path string) (*value.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usageError{fmt.Errorf("read parameters: %w", err), "recrawl learn makes such a file"}
	}
	defer f.Close()
	m, err := value.ReadModel(f)
	if err != nil {
		return nil, usageError{fmt.Errorf("read parameters from %s: %w", path, err), "recrawl learn makes such a file"}
	}
	return m, nil
}
