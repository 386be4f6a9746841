// Package tidy makes tables from results of commands: their columns and rows.
//
// A row is one observation: a visit, a policy at a budget, a week of it. Values that are equal in
// all rows of a command, for example the base of an evaluation, are repeated in each, so that
// tables of several runs can be joined. Columns with _low and _high are an interval around the
// column of their name; null without resampling. docs/reference/columns.csv lists them; tags of
// Kinds describe them.
//
// Nothing is computed here. The JSON of a command has the same values, except for visits and for
// intervals that were not requested.
package tidy
