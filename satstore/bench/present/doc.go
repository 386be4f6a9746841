// Package present makes reports of what package bench measured: tables, charts of units and the
// figures of [SAT].
package present
