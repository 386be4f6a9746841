package logodds

// Lanes is how many rows a model is asked for at once, where that is quicker than one by one.
const Lanes = 8

// Column holds one feature of as many rows, or what a model makes of it.
type Column [Lanes]float32

// Put makes rows the lanes of columns; a row is as long as there are columns, or longer.
func Put(columns []Column, rows *[Lanes][]float32) {
	n := len(columns)
	r0, r1, r2, r3, r4, r5, r6, r7 := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n],
		rows[4][:n], rows[5][:n], rows[6][:n], rows[7][:n]
	for i := range columns {
		c := &columns[i] // a Column made of eight would be put together elsewhere, and copied
		c[0], c[1], c[2], c[3] = r0[i], r1[i], r2[i], r3[i]
		c[4], c[5], c[6], c[7] = r4[i], r5[i], r6[i], r7[i]
	}
}
