// Package budget counts what a crawl may use: fetches and bytes, in an hour or a day, of all
// servers or of one. It knows no pages: package planner decides which visits use a budget, and what
// happens to those that do not fit.
//
// An Account is never overdrawn, also not by a crash: what a visit may use is claimed in the store
// before it begins (Account.Take), and what it did not use is given back (Finish, Settle).
//
//	limit.go    Limit, ServerLimit, Limits: what may be used, and how people write it
//	account.go  Account: what was used, of one server or of all, and how a store keeps it
//	grant.go    Grant: whole fetches from a budget a day; the rest is carried over
//	price.go    Price: what the last visit that fits is worth
//	sizes.go    Sizes: how many bytes a visit will need
//
// To limit something else, as the visits to a country: Limits says to whom a limit applies,
// planner.Caps (caps.go) has an Account for each and asks them all before a visit, and the commands
// read the limit (budget.go of cmd/config).
package budget
