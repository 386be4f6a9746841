// Package exchange says what imports took in and what exports wrote: captures, lists of addresses,
// histories, archives and tables, as text and as a report with curves.
package exchange
