// Package estimator estimates from the history of a page how often it changes, and how likely it is
// to have changed since the last visit.
//
// # Terms
//
//	T         time from the first to the last visit (History.Elapsed)
//	U         sum of the access intervals without a seen change
//	m         number of changes seen
//	tc_min    shortest access interval with a seen change
//	interval  estimated mean time between changes; 1 / rate
//	prior     belief about a page before its second visit
//
// # Guarantees
//
//  1. Every estimator is defined for every history, even if its formula is not. Estimate.Warning
//     then names the rule behind the number.
//  2. No result is NaN, infinite, or a negative rate or interval. Probabilities are in [0, 1],
//     do not fall with age, and are 0 at age 0.
//  3. The same history gives the same estimate. A history in other time units gives the same rate.
//
// # Estimators
//
//	Naive          changes by days, X/T
//	BiasReduced    visits at equal intervals [Cho 2003]
//	Grouped.MLE    intervals of any lengths [Cho 2003], from a History (FromHistory)
//	Grouped.SmoothedMLE  with two imaginary intervals, so always positive; also MLEFromHistory
//	LLN, SA        online, visit by visit, for visits at random times [Avrachenkov 2020]
//	LastModified   of pages that send Last-Modified [Cho 2003]
//	Interval       closed form for the mean interval [SAT eq. 1]
//	GammaPoisson   posterior of a Poisson rate under a gamma prior whose mean is the
//	               rate of all pages (empirical Bayes), and the probability of change that follows
//	Grid, Rates    posterior over 32 rates for censored intervals, with forgetting
//	Prior, Pool    priors of the grid: page <- site <- server <- corpus
//	Periodic       changes by the clock, daily to monthly, against a Poisson process
//	Weeks          outcomes of the last 32 weeks of a History, for a drifting rate
//
// Functions that return a number return changes a day. Those that return an Estimate add 95 %
// intervals and warnings.
//
// Units: rates are changes per day of 24 h, spans are time.Duration.
//
// The package knows no network, no disk and no clock. All functions are pure; values may
// be used by many goroutines.
//
// Sources: [SAT] Tamura and Kitsuregawa, eq. 1; Ford, Grimes, Tassone 2008 for the
// empirical-Bayes form; [Cho 2003] Cho and Garcia-Molina, Estimating frequency of change, for
// the Poisson model; Upadhyay et al. 2020 for the smoothing; Laird 1978 for the prior on a grid;
// [Avrachenkov 2020] Avrachenkov, Patil, Thoppe, Change rate estimation and optimal freshness in
// web page crawling.
package estimator
