// Package evidence keeps what visits tell, as they come, in a few bytes a group of pages, and says
// what it lets expect. All numbers are float32, and all times days since an origin of the caller.
//
// RateBelief predicts a page by its own past. Account is the clock of a group: when its pages
// changed. Gaps and States count what the time between visits tells, and DayTimes what the hours of
// the day do. Mean is a share, or a number by occasion, pulled toward that of a larger group, and
// Pooled has those of all servers. Tally compares what a group showed with what was expected of it,
// and Trust learns how much that tells. Proven compares events with how likely they were taken to
// be. WeekShares say which pages change together. Mixture weighs the opinions of several such
// experts by how they predict, and Calibrator makes the result mean what it says. FreshShare,
// AgeShare and Stays say what a visit is worth at rates that are known.
//
// Nothing here is safe for concurrent use.
package evidence
