// Package present makes reports of what package seen/bench measured: tables, and figures 5 to 10 of
// [SBFL].
package present
