package learn

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/value"
)

// The settings by which the parameters that come with the program were learnt.
var (
	ShippedTrees = trees.Options{Trees: 40, Depth: 5, Rate: 0.25, Lambda: 20, LeastWeight: 200}
	ShippedNet   = perceptron.Options{Units: 16, Epochs: 3, Rate: 0.005, Decay: 0.3}
)

// Fingerprint names a set of histories, in any order: how many servers, and a hash of their names
// and sizes. The source of a model ends in that of the histories it was learnt from.
func Fingerprint(servers []*history.Server) string {
	var lines []string
	for _, s := range servers {
		versions := 0
		for _, page := range s.Pages {
			versions += len(page.Versions)
		}
		lines = append(lines, fmt.Sprintf("%s %d %d\n", s.Name, len(s.Pages), versions))
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, l := range lines {
		h.Write([]byte(l))
	}
	return fmt.Sprintf("%d servers, sha256 of their names and sizes %x", len(servers), h.Sum(nil)[:8])
}

// Given is what policies go by on the servers with a model that was learnt before, perhaps from
// these very servers.
func Given(m *value.Model, servers []*history.Server) *eval.Learnt {
	return &eval.Learnt{
		Source:      m.Source,
		SameServers: strings.HasSuffix(m.Source, Fingerprint(servers)),
		ModelOf:     func(_, _ string) *value.Model { return m },
	}
}

// Learnt is what policies go by on the servers from which the parameters were learnt, by folds.
func (p *Parameters) Learnt(servers []*history.Server) *eval.Learnt {
	return &eval.Learnt{Source: "learnt here, " + Fingerprint(servers), Folds: p.folds, ModelOf: p.Of}
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
