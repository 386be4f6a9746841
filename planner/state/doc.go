// Package state writes down what a planner and its policy have in memory, and reads it again in
// another process.
//
// Policies keep very different things: heaps, samples, cycles that are half done, what visits to
// groups of pages told. So their fields are walked, exported or not, by reflection: what is not
// written is what says so. Nothing has to be added for a new policy, and none is forgotten.
//
// # Terms
//
//	root   a pointer to what is written, as a policy
//	form   a fingerprint of all types below the roots: names, order and kinds of fields
//	apart  types whose pointers are left as they are, as that of the corpus
//	tag    state:"-" leaves a field as it is; state:"same" demands that the reader's is equal
//
// # Guarantees
//
//  1. What is read into roots that were built alike is equal to what was written, pointers to one
//     thing and to elements of slices included. Pointers that lead out of maps' values are not.
//  2. Read changes nothing where the form is another one (ErrForm). After any other error, as
//     ErrSettings, the roots are of no use.
//  3. Functions and channels are left as they are.
//
// The bytes are those of this machine: another order of bytes or size of words is another form.
// Who stores them adds a checksum: Read trusts what it is given.
package state
