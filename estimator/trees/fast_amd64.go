package trees

import (
	"golang.org/x/sys/cpu"

	"github.com/recrawl/recrawl/estimator/logodds"
)

var hasAVX2 = cpu.X86.HasAVX2

func (q *Fast) addLeaves(columns []logodds.Column, sums *logodds.Column) {
	if hasAVX2 && len(q.trees) > 0 {
		addLeavesAVX2(sums, &columns[0], &q.trees[0], len(q.trees))
	} else {
		q.addLeavesPlainly(columns, sums)
	}
}

// Sizes that the assembly goes by.
var (
	_ [8]struct{} = [logodds.Lanes]struct{}{}
	_ [5]struct{} = [MaxDepth]struct{}{}
)

// addLeavesAVX2 reads n trees, 1 or more.
//
//go:noescape
func addLeavesAVX2(sums, columns *logodds.Column, trees *fastTree, n int)
