// Package tune predicts what a budget buys: coverage, update rate and freshness of a policy against
// fetches a day, with spread, and what politeness leaves within reach.
//
// It draws futures of the servers and lets the policy run on them by the stream protocol of eval,
// so that what is predicted is what eval would measure, new pages and all.
//
// Words
//
//	known past  the weeks before the base; nothing later is read
//	future      the known past and weeks that might come after it
//	stand-in    the page to which now happens what happened to one that is no longer there
//	frailty     what all change rates of a server are multiplied with in a week
//
// From histories (Model) a server does again what it did in the known weeks, in their order, from a
// week drawn for each: a circular block bootstrap. All pages of a server change together as they
// did; there are as many changes, births and deaths as there were. From visits (Visits: a store, a
// journal) each page changes by a rate drawn from its posterior, and a server's rates rise and
// fall together from week to week.
//
// Promises
//
//  1. The same input, options and seed give the same prediction to the last digit.
//  2. Nothing after the base changes a prediction. Check alone reads it.
//  3. A Range is the mean over the futures, and the 5th to 95th percentile over the futures and 200
//     resamples of the servers in each: for servers like these, not for these alone.
//
// What it cannot know: that what never happened in the known weeks will, as the first rebuild of a
// quiet server, nor that servers grow busier or quieter. How far such things went elsewhere is
// what Check tells.
//
// Rates are per day, budgets shares of the base pages a day, delays between two visits to one
// server. A Model, Visits and Forecast may be used by many goroutines.
//
// Sources: Politis and Romano 1992 (circular block bootstrap); Satopaa et al. 2011 (knee).
package tune
