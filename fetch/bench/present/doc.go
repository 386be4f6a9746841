// Package present makes reports of what package fetch/bench measured: tables and charts.
package present
