// Package piped lets a program of the user decide, in any language, as a policy: the evaluations
// and the live loop ask it over a pipe. docs/reference/policy-programs.md has the protocol.
//
// # Files
//
//	piped.go    the policy: what it asks, when, and what it does about a program that fails
//	message.go  what it tells the program, as lines of JSON or as columns of numbers
//	answer.go   what the program answers, read and checked
//
// # Terms
//
//	candidate  a page that may be visited in this round
//	told       a page of which the program holds what is true now
//
// # Guarantees
//
//  1. No page is visited that the program was not offered, and none twice in a round.
//  2. No message has more than mostItems pages and outcomes; no answer names more pages than were
//     asked for.
//  3. Each message has one answer, and the next is sent when that is there.
//  4. Without a fallback a program that fails ends the run with an error, so that nothing else is
//     measured in its name. With one the fallback decides for the rest of the round, and after
//     mostFailures in a row for good.
//  5. With a clock a program takes a quarter of each round at most.
//  6. A program that is begun again is told everything anew.
//
// Who asks the process, within which time and of how many bytes, is a Runner: the package knows no
// processes. A Policy takes 5 bytes a page.
package piped
