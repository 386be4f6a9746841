//go:build !amd64

package trees

import "github.com/recrawl/recrawl/estimator/logodds"

func (q *Fast) addLeaves(columns []logodds.Column, sums *logodds.Column) {
	q.addLeavesPlainly(columns, sums)
}

// addRows adds each row to its bins in the table of its leaf.
func addRows(tables []table, rows []sums, leaf []uint8, at [][abreast]uint8) {
	addRowsPlainly(tables, rows, leaf, at)
}
