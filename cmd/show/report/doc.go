// Package report shows results: as tables for the terminal, line charts as SVG, and one HTML page
// with both. It also shows the progress of work: by a bar on a terminal, elsewhere by a line every
// few seconds (Bar, Line).
//
// # Terms
//
//	series   one line of a chart, or its points alone
//	chart    some series over the same axes
//	table    a header and rows of text
//	page     the result in words and in one large figure; then sections of text, charts
//	         and tables
//
// # Guarantees
//
//  1. The same input gives the same bytes: no time, no random name, no map order.
//  2. A page needs nothing else: styles are inline, charts are inline SVG, and no address is
//     fetched. It can be mailed or printed. Its one script shows values under the pointer, hides
//     series and sorts tables. The policy of the page allows it by its hash, and the page is
//     readable without it.
//  3. All text is escaped, and every file is well-formed, whatever the input.
//  4. A value that is not a number breaks a line and never moves an axis.
//
// Series differ in colour, in marker and, if wanted, in dashes, so that a chart reads without
// colours, too. The colours are those of Okabe and Ito (2008), chosen for readers who are
// colour-blind; their yellow is left out, as a yellow line is invisible on white.
//
// Percentages are given as shares: 0.25 with YPercent is labelled 25 %.
//
// The package computes no results: it shows those of eval. It writes to the given writer and keeps
// nothing. Many goroutines may use its values.
package report
