// Package hints keeps what feeds, sitemaps and Last-Modified headers claim about pages, and
// measures what their claims are worth.
//
// A claim is a hint, not a fact: many sitemaps name today for every page. So each visit to a page
// that a source had listed is a test of that source. What the tests showed, by server and kind of
// source, gives the likelihood ratio that a claim adds to the odds of a change (LogRatio). A source
// that has proved nothing adds nothing.
package hints
