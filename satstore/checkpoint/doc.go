// Package checkpoint copies the store of a directory, also while another process has it open: then
// that process is asked for the copy, and makes it. Who asks and who answers talk by files in the
// directory of the store.
//
// Words
//
//	request  a file that asks for a copy, and names the directory for it
//	answer   a file that tells what became of a request
//
// Each who asks has files of its own, so that several can ask at a time; each gets a copy, one
// after the other, in the order of asking. A request is a file
// checkpoint-<moment>-<number>.request, its answer the same with .answer; both hold one JSON
// object.
//
// Promises
//
//  1. The copy is the store as it stood at one moment, after a commit.
//  2. Who takes up a request removes it, and so does who gives it up: one of them can. So no copy
//     is begun for somebody who has gone.
//  3. What goes wrong with a copy is told to who asked and does not end who answers; that the store
//     itself has failed does.
//  4. Files appear whole. Those of a process that was killed are removed by the next Answer after
//     twice the time that anybody waits for a request to be taken up.
//  5. Where the store becomes free while Make waits, Make copies it itself.
//
// Answer is called by the goroutine that uses the store. Make may be called by many.
package checkpoint
