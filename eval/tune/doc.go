// Package tune predicts the effect of a budget: coverage, update rate and freshness of a policy by
// fetches a day, with spread, and the limits by politeness.
//
// It draws possible futures of the servers, and runs the policy on them by the stream protocol of
// eval. So it predicts the measurements of eval, with new pages.
//
// # Terms
//
//	prediction  the result of Predict for several budgets, from histories, a store or a journal
//	known past  the weeks before the base; later ones are not read
//	future      the known past and weeks that might come after it
//	stand-in    a page that changes in a future like one that no longer exists
//	frailty     the factor of all change rates of a server in a week
//
// From histories (Model) a server repeats its known weeks, in order, from a random one on: a
// circular block bootstrap. So pages that changed together do so again, and there are as many
// changes, births and deaths. From visits (Visits: a store, a journal) each page changes at a rate
// drawn from its posterior, and the rates of a server rise and fall together from week to week.
//
// # Guarantees
//
//  1. Equal input, options and seed give equal predictions, to the last digit.
//  2. Weeks after the base do not affect a prediction. Only Check reads them.
//  3. A Range is the mean over the futures, and the 5th to 95th percentile over the futures and 200
//     resamples of the servers in each: for servers like these, not for these alone.
//
// It cannot predict events that never happened in the known weeks, for example the first rebuild of
// a quiet server, or servers that become busier or quieter. Check measures the effect of such
// events.
//
// Rates are per day, budgets are shares of the base pages a day, delays are between two visits to
// one server. Goroutines may share a Model, Visits and Forecast.
//
// Sources: Politis and Romano 1992 (circular block bootstrap); Satopaa et al. 2011 (knee).
package tune
