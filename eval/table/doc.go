// Package table writes tables of results as Parquet or CSV: one observation a row, columns with
// units.
//
// # Terms
//
//	kind   what rows of one type are: a name, what a row is, and its columns
//	table  the rows of a kind that one command writes, as a file of that name
//	set    the tables of one command, in a directory for each format
//
// A kind is a struct. Its tags say all of a column, so that header, schema and documentation agree:
//
//	parquet  its name, and how it is encoded: dict for names that recur, delta for what rises
//	unit     its unit; of none: text, true or false, a number of something that doc names
//	doc      what it says
//
// A pointer is a value that may be unknown: null in Parquet, nothing in CSV. Times are UTC.
//
// # Guarantees
//
//  1. Files are there whole or not at all, and none that was there before is replaced. Nothing of
//     a set has its name before all of it was written.
//  2. Rows are kept in memory until there are 2^18 of a table. So a table takes tens of megabytes,
//     however long it is, and one text of each different address of these rows.
//  3. Rows of one Batch keep their order. Those of several mingle, in runs of up to 1,024.
//
// A Parquet file is compressed by zstd, and has units and meanings of its columns as metadata, by
// the name of the column. A CSV file is RFC 4180 with LF, has a header, times as RFC 3339, and TRUE
// and FALSE.
package table
