// Command recrawl plans which known web pages to fetch again, and when; fetches them
// politely; and measures how well that works.
//
// A file with the name of a command is that command: how it puts packages together. Its help is in
// package manual, its settings are in package config. What all commands share:
//
//	main.go      the root command, signals; what all commands are made by; settings read
//	output.go    results as tables, JSON and report
//	planner.go   a planner as its data directory holds it
//	live.go      the live web as the loop's fetcher, and its options
//	setup.go     init, config, doctor, completion, man
//	addresses.go, status.go  addresses that arguments name; the status line of run
//
// # Guarantees
//
//  1. Standard output has the result, whole or not at all. Progress and errors go to
//     standard error. With --json the result is JSON.
//  2. Every error says what failed and where. Where the user can do something, a hint says what.
//  3. Unknown settings are refused wherever they come from. All settings out of range are
//     reported at once.
//  4. An interrupt ends a command cleanly: what was done is kept, the exit code is 130.
//
// What recrawl knows and decides is in the packages that are put together here.
package main
