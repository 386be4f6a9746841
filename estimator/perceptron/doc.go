// Package perceptron turns what is known of a page into the log odds of a change by a multilayer
// perceptron with one hidden layer: how it answers, how it says why, and how it is learnt.
//
// # Terms
//
//	feature       one number known of a page, by its place in a row
//	row           the features of one page, of one length for a net
//	input         a feature as a net sees it: on the scale of its Form, by mean and deviation
//	unit          of the hidden layer: the positive part of a weighted sum of all inputs
//	contribution  what a feature adds to the log odds
//
// # Guarantees
//
//  1. A net is read-only once made; any number of goroutines may ask it, and asking
//     allocates nothing.
//  2. The log odds are a start value plus the weighted sum of the units. The contributions of
//     the features and the start that Explain returns add up to them.
//  3. An input is cut at four deviations from its mean, so that no number, however far from
//     all that was learnt from, decides alone; a NaN counts as a number above all others.
//  4. Learning is deterministic: the same rows in the same order and the same seed give the
//     same net, whatever the number of processors.
//
// Sources: Rumelhart, Hinton and Williams 1986 for the perceptron; Nair and Hinton 2010 for
// rectified units; Loshchilov and Hutter 2019 for how it is learnt (Adam with decoupled weight
// decay); Sundararajan, Taly and Yan 2017 for contributions (integrated gradients).
package perceptron
