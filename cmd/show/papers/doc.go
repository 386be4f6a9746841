// Package papers makes reports of what the experiments of the papers found on recorded servers: the
// figures of [LINK], surveys of how servers and pages change [SAT], and schedules [HIER].
package papers
