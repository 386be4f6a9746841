// Package tidy makes tables of what the commands find: which tables there are, what their columns
// mean, and how a result becomes rows.
//
// A row is one observation: a visit, a policy at a budget, a week of it. What is the same for all
// rows of a command, as the base of an evaluation, is repeated in each, so that tables of several
// runs can be put together. Columns with _low and _high are an interval around the column of their
// name; null where nothing was resampled. docs/reference/columns.csv lists them, and is made
// of the types here: tags of a Kind describe them.
//
// Nothing is computed here. What a table has, the JSON of its command has, too, but for visits and
// for intervals that were not asked for.
package tidy
