// Package schedule makes results of scheduling servers: what is feasible and what would help
// (Report), what a pool and a policy achieve (Simulation), and what a target takes (Plan). A result
// is marshalled as JSON as it is, and gives a page of tables and charts for people.
//
// # Terms
//
//	source    where servers come from: a log as CSV, a journal, a store, histories, or a generator
//	demand    what is wanted of a server, with its pages and the times of its downloads
//	sweep     simulations of several policies with several numbers of connections
//	spread    the least and the largest of several webs, or percentiles over resampled servers
//
// # Guarantees
//
//  1. The same input, options and seed give the same result to the last digit.
//  2. What is read and cannot be right is refused with file, line and what would be right; a log is
//     used as a whole or not at all.
//
// Package planner/schedule decides, planner/schedule/simulate simulates. Here is only what people
// and programs get to see of it. Sources: [HIER 3] for the figures.
package schedule
