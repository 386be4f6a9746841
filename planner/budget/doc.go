// Package budget counts what a crawl may use: fetches and bytes, in an hour or a day, of all
// servers or of one. It knows no pages: package planner decides which visits use a budget, and what
// happens to those that do not fit.
//
// An Account is never overdrawn, not even by a crash. The store gets a claim for a visit's possible
// use before the visit begins (Account.Take), and the unused part is released (Finish, Settle).
//
//	limit.go    Limit, ServerLimit, Limits: what may be used, and how people write it
//	account.go  Account: what was used, of one server or of all, and how a store keeps it
//	grant.go    Grant: whole fetches from a budget a day; the rest is carried over
//	price.go    Price: what the last visit that fits is worth
//	sizes.go    Sizes: how many bytes a visit will need
//
// To limit something else, for example the visits to a country: Limits says to whom a limit
// applies, planner.Caps (caps.go) has an Account for each and checks them all before a visit, and
// the commands parse the limit (budget.go of cmd/config).
package budget
