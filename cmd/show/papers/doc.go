// Package papers reports the papers' experiments, repeated on recorded servers: the figures of
// [LINK], surveys of how servers and pages change [SAT], and schedules [HIER].
package papers
