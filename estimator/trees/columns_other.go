//go:build !amd64

package trees

import "github.com/recrawl/recrawl/estimator/logodds"

func (q *Fast) addLeaves(columns []logodds.Column, sums *logodds.Column) {
	q.addLeavesPlainly(columns, sums)
}
