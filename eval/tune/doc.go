// Package tune predicts what a budget buys: coverage, update rate and freshness of a policy against
// fetches a day, with spread, and what politeness leaves within reach.
//
// It draws possible futures of the servers and runs the policy on them by the stream protocol of
// eval. So it predicts what eval would measure, with new pages.
//
// # Terms
//
//	prediction  what Predict says of several budgets, from evidence: histories, a store or a journal
//	known past  the weeks before the base; nothing later is read
//	future      the known past and weeks that might come after it
//	stand-in    a page that changes in a future as one did that is no longer there
//	frailty     the factor of all change rates of a server in a week
//
// From histories (Model) a server does again what it did in the known weeks, in their order, from a
// week drawn for each: a circular block bootstrap. Pages of a server that changed together change
// together again, and there are as many changes, births and deaths as there were. From visits
// (Visits: a store, a journal) each page changes at a rate drawn from its posterior, and a server's
// rates rise and fall together from week to week.
//
// # Guarantees
//
//  1. The same input, options and seed give the same prediction to the last digit.
//  2. Nothing after the base changes a prediction. Only Check reads it.
//  3. A Range is the mean over the futures, and the 5th to 95th percentile over the futures and 200
//     resamples of the servers in each: for servers like these, not for these alone.
//
// It cannot know what never happened in the known weeks, as the first rebuild of a quiet server,
// nor that servers become busier or quieter. Check measures how much such things mattered
// elsewhere.
//
// Rates are per day, budgets shares of the base pages a day, delays between two visits to one
// server. A Model, Visits and Forecast may be used by many goroutines.
//
// Sources: Politis and Romano 1992 (circular block bootstrap); Satopaa et al. 2011 (knee).
package tune
