package learn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/value"
	"github.com/recrawl/recrawl/sitegraph"
)

// The settings by which the parameters that come with the program were learnt.
var (
	ShippedTrees = trees.Options{Trees: 40, Depth: 5, Rate: 0.25, Lambda: 20, LeastWeight: 200}
	ShippedNet   = perceptron.Options{Units: 16, Epochs: 3, Rate: 0.005, Decay: 0.3}
)

// Fingerprint names a set of histories, in any order: how many servers, and a hash of their names
// and sizes. The source of a model has that of each kind of web that it was learnt from.
func Fingerprint(servers []*history.Server) string {
	var lines []string
	for _, s := range servers {
		lines = append(lines, fmt.Sprintf("%s %d %d\n", s.Name, len(s.Pages), s.Versions()))
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, l := range lines {
		h.Write([]byte(l))
	}
	return fmt.Sprintf("%d servers, sha256 of their names and sizes %x",
		len(servers), h.Sum(nil)[:8])
}

// Source says what parameters were learnt from: histories of several kinds of web.
func Source(by sitegraph.ChangeBy, kinds [][]*history.Server) string {
	source := "recrawl learn"
	if by != sitegraph.ChangeByBytes {
		source += " --change " + by.String()
	}
	for _, servers := range kinds {
		source += ", " + Fingerprint(servers)
	}
	return source
}

// Window is how many whole weeks some histories tell of, to the last version that any of them has.
func Window(servers []*history.Server) (weeks int) {
	const week = 7 * 24 * 60 * 60
	for _, s := range servers {
		for _, page := range s.Pages {
			if n := len(page.Versions); n > 0 {
				weeks = max(weeks, int((page.Versions[n-1].T-s.T0)/week))
			}
		}
	}
	return weeks
}

// Usual are the options by which the parameters that come with the program were learnt, for
// histories of several kinds of web and what counts as a change.
func Usual(ctx context.Context, kinds [][]*history.Server, by sitegraph.ChangeBy) Options {
	return Options{
		Rounds: 2, Trees: ShippedTrees, Net: ShippedNet,
		Kinds:  len(kinds),
		Window: func(kind int) int { return Window(kinds[kind]) },
		Open: func(kind, base, weeks int, learnt *eval.Learnt) (*eval.Corpus, error) {
			const week = 7 * 24 * time.Hour
			o := eval.Options{Base: time.Duration(base) * week, History: weeks, Change: by}
			c, err := eval.NewCorpus(ctx, kinds[kind], o)
			if err == nil {
				c.Learnt = learnt
			}
			return c, err
		},
	}
}

// Given is what policies go by on the servers with a model that was learnt before, perhaps from
// these very servers.
func Given(m *value.Model, servers []*history.Server) *eval.Learnt {
	return &eval.Learnt{
		Source:      m.Source,
		SameServers: strings.Contains(m.Source, Fingerprint(servers)),
		ModelOf:     func(_, _ string) *value.Model { return m },
	}
}

// Learnt is what policies go by on the servers from which the parameters were learnt, by folds.
func (p *Parameters) Learnt(servers []*history.Server) *eval.Learnt {
	return &eval.Learnt{Source: "learnt here, " + Fingerprint(servers), Folds: p.folds,
		ModelOf: p.Of}
}

// UsedFolds is into how many of so many folds the servers fall. There is something to learn from if
// these are two or more.
func UsedFolds(servers []*history.Server, folds int) int {
	used := map[int]bool{}
	for _, s := range servers {
		used[eval.Fold(s.Name, folds)] = true
	}
	return len(used)
}
