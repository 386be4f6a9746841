// Command recrawl plans which known web pages to fetch again, and when; fetches them
// politely; and measures how well that works.
//
// Each file is a command (demo.go, run.go, plan.go, explain.go, eval.go, sites.go,
// version.go) or a thing that all commands need:
//
//	main.go      the root command, signals
//	config.go    all settings, which package setting reads; config_*.go those of large commands,
//	             and checks
//	errors.go    what the user can do about an error; exit codes
//	progress.go  how far long work has come
//	output.go    results as tables, JSON and report
//	planner.go   a planner as its data directory holds it
//	addresses.go the addresses that arguments name
//	status.go    how a run goes
//
// Promises
//
//  1. Standard output is the result, whole or not at all; progress and errors go to
//     standard error. With --json the result is JSON.
//  2. Every error says what and where, and where something can be done, a hint says what.
//  3. Unknown settings are refused wherever they come from; all settings out of range are
//     reported at once.
//  4. An interrupt ends a command cleanly: what was done is kept, the exit code is 130.
//
// What recrawl knows and decides lives in the packages that are wired together here.
package main
