package trees

import "unsafe"

// addRows adds each row to its bins in the table of its leaf.
func addRows(tables []table, rows []sums, leaf []uint8, at [][abreast]uint8) {
	if hasAVX2 && len(rows) > 0 {
		addRowsAVX2(&tables[0], &rows[0], &leaf[0], &at[0], len(rows))
	} else {
		addRowsPlainly(tables, rows, leaf, at)
	}
}

// Sizes that the assembly goes by.
var (
	_ [4]struct{}    = [abreast]struct{}{}
	_ [32]struct{}   = [unsafe.Sizeof(sums{})]struct{}{}
	_ [8192]struct{} = [unsafe.Sizeof(table{})]struct{}{}
)

// addRowsAVX2 reads n rows, 1 or more. Leaves and bins are those of the tables: it checks neither.
//
//go:noescape
func addRowsAVX2(tables *table, rows *sums, leaf *uint8, at *[abreast]uint8, n int)
