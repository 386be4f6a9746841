// Package config declares the settings of all commands: what each is called, its default, its help,
// which commands have it as a flag, and what its values may be. A Set reads them.
//
// A setting is a field of [Config] with a tag. What a tag cannot check is checked in Validate: what
// several settings mean together, and texts that have a form of their own, as budgets.
//
//	config.go                the settings, by group; what follows from others (Complete)
//	check.go, budget.go      what tags cannot check, and settings as other packages want them
//	network.go
//	bench.go, eval.go, ...   settings of large commands
//	settings.go, setting*.go, spelling.go, span.go, percent.go
//	                         Set: settings read from flags, the environment and a file
//
// # Guarantees
//
//  1. Validate refuses each wrong value with the key, the value and what would be right. It stops
//     at none, so that all are told at once.
//  2. After Validate and Complete nothing in a Config has to be checked again.
package config
