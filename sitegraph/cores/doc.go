// Package cores spreads work over the processor's cores.
//
// # Guarantees
//
//  1. Each calls its function once for every number, in rising order of start, on at most as
//     many goroutines as there are cores, and returns when all calls have.
//  2. Try starts nothing new once a call has failed, and returns all errors, those of lower
//     numbers first.
//
// The package knows no network, no disk and no clock.
package cores
