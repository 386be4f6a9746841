// Package machine spreads work over the cores of the processor, and measures the time and memory of
// the process.
//
// # Guarantees
//
//  1. EachOnCores calls its function once for every number, in rising order of start, on at most as
//     many goroutines as there are cores, and returns when all calls have.
//  2. TryOnCores starts nothing new once a call has failed, and returns all errors, those of lower
//     numbers first.
//
// Counters are those that Linux keeps of processes and of the machine. On systems without /proc all
// of them but the time are 0. All functions may be called concurrently.
package machine
