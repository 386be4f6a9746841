// Package checkpoint copies the store of a directory, also while another process has it open. Then
// that process is asked for the copy and makes it. The two processes talk by files in the directory
// of the store.
//
// # Terms
//
//	request  a file that asks for a copy, and names the directory for it
//	answer   a file that tells what became of a request
//
// Each process that asks has files of its own, so that several can ask at a time. Each gets a copy,
// one after the other, in the order of asking. A request is a file
// checkpoint-<moment>-<number>.request, its answer the same with .answer. Both hold one JSON
// object.
//
// # Guarantees
//
//  1. The copy is the store as it stood at one moment, after a commit.
//  2. The process that takes up a request removes it, and so does the one that gives it up: only
//     one of them can. So no copy is begun for a process that has gone.
//  3. An error of a copy is returned to the process that asked, and does not end the one that
//     answers. An error of the store itself does.
//  4. Files appear whole. Those of a process that was killed are removed by the next Answer after
//     twice the time for which Make waits that a request is taken up.
//  5. If the store becomes free while Make waits, Make copies it itself.
//
// Answer is called by the goroutine that uses the store. Make may be called by many.
package checkpoint
