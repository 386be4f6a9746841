// Package evals makes reports of what package eval measured: tables and charts of both protocols,
// comparisons with resampling intervals, learning curves and reliability. A report is a
// report.Page, which prints as text or as a page of HTML.
package evals
