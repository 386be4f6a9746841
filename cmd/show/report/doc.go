// Package report turns results into something to look at: tables for the terminal, line
// charts as SVG, and one HTML page that holds both. While work goes on it tells how far that has
// come: by a bar on a terminal, by a line every few seconds elsewhere (Bar, Line).
//
// # Terms
//
//	series   one line of a chart, or its points alone
//	chart    some series over the same axes
//	table    a header and rows of text
//	page     what was found, in words and in one large figure; then sections of text, charts
//	         and tables
//
// # Guarantees
//
//  1. The same input gives the same bytes: no time, no random name, no map order.
//  2. A page needs nothing else: styles are inline, charts are inline SVG, and no address is
//     fetched. It can be mailed or printed. Its one script shows values under the pointer, hides
//     series and sorts tables. It runs by its hash; without it all can be read.
//  3. All text is escaped; no input makes a file that is not well-formed.
//  4. A value that is not a number breaks a line and never moves an axis.
//
// A chart tells its series apart three ways (colour, marker, and dashes where asked for),
// so that it reads without colours too. The colours are those of Okabe and Ito (2008),
// chosen for readers who are colour-blind; the yellow is left out, as no line of it can
// be seen on white.
//
// Percentages are given as shares: 0.25 with YPercent is labelled 25 %.
//
// The package computes no figures: it shows what eval has found. It writes to the
// writer it is given and keeps nothing; values may be used by many goroutines.
package report
