// Package listed reads addresses as people and programs list them: one a line, alone or as a column
// of a row.
//
// # Terms
//
//	address  a whole address of a page, with http:// or https:// before it
//	row      a line with columns, between tabs, commas, semicolons or bars
//	header   the first line, if it has no address: names of columns
//
// # Guarantees
//
//  1. No address is made up. What is returned is the canonical form of one part of the line, which
//     stands in it without a blank inside. Where that part is in doubt the line is left out, and
//     its Kind says why.
//  2. An address may stand in "quotes" or <brackets>, and a comment may follow it. Of a row it is
//     the column that the header names, else the only column that is an address, or the first one
//     between tabs.
//  3. A plain line costs no memory beside its address.
//
// A Form may be used by many goroutines once it has the header.
package listed
