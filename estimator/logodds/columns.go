package logodds

// Lanes is how many rows a model is asked for at once, where that is quicker than one by one.
const Lanes = 8

// Column holds one feature of as many rows, or what a model makes of it.
type Column [Lanes]float32

// Put makes a row one of a lane of columns.
func Put(columns []Column, lane int, row []float32) {
	for i, x := range row {
		columns[i][lane] = x
	}
}
