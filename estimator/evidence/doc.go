// Package evidence keeps the outcomes of visits in a few bytes a group of pages, and predicts
// changes from them. All numbers are float32, and all times days since an origin of the caller.
//
// RateBelief predicts a page by its own past. Account is the clock of a group: when its pages
// changed. Gaps and States predict by the time between visits, and DayTimes by the hours of the
// day. Mean is a share, or a number per occasion, pulled toward that of a larger group; Pooled has
// those of all servers. Tally compares what a group's visits found with what was expected, and
// Trust learns how well that predicts. Proven compares events found with events expected.
// WeekShares measure which pages change together. Mixture weighs the predictions of several such
// experts by their accuracy, and Calibrator calibrates the result. FreshShare, AgeShare and Stays
// give the worth of a visit at known rates.
//
// Nothing here is safe for concurrent use.
package evidence
