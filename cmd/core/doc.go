// Package core has the commands of recrawl, and what those of the other programs are made of: see
// Part and Program. A command of another program is known here with its flags, so that help,
// completion and manual have it. Its work runs that program, from beside this one or from PATH.
//
// A file with the name of a command is that command: how it puts packages together. Its help is in
// the folder pages, its settings are in package config. What all commands share:
//
//	main.go      the root command; what all commands are made by; settings read
//	parts.go     commands of the other programs, and how they are run
//	shard.go     what a node of several crawls with
//	output.go    results as tables, JSON and report
//	planner.go   a planner as its data directory holds it
//	live.go      the live web as the loop's fetcher, and its options
//	setup.go     init, config, doctor, completion, man
//	failure.go   how a command ends: its exit code, and a hint to its user
//	manual*.go   the help of all commands, and pages for man(1)
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
package core
