// Package core has the commands of recrawl, and the base for those of the other programs: see Part
// and Program. It knows commands of other programs with their flags, for help, completion and
// manual. Such a command runs its program, from beside this one or from PATH.
//
// A file with the name of a command has that command: it joins packages. Its help is in the folder
// pages, its settings are in package config. Shared by all commands:
//
//	main.go      the root command; how commands are made; reading of settings
//	parts.go     commands of the other programs
//	shard.go     the crawl of a shard at a node
//	output.go    results as tables, JSON and report
//	planner.go   a planner from its data directory
//	live.go      the live web as the loop's fetcher, and its options
//	setup.go     init, config, doctor, completion, man
//	failure.go   how a command ends: its exit code, and a hint to its user
//	manual*.go   the help of all commands, and pages for man(1)
//	addresses.go, status.go  URLs in arguments; the status line of run
//
// # Guarantees
//
//  1. Standard output has the result, whole or not at all. Progress and errors go to standard
//     error. With --json the result is JSON.
//  2. Every error says what failed and where. If the user can do something, a hint says what.
//  3. Unknown settings of any origin are refused. All settings out of range are reported at once.
//  4. An interrupt ends a command cleanly: finished work is kept, and the exit code is 130.
//
// The joined packages have the knowledge and the decisions of recrawl.
package core
