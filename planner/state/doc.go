// Package state writes the memory of a planner and its policy, and reads it in another process.
//
// Policies keep very different data: heaps, samples, unfinished cycles, evidence about groups of
// pages. So reflection walks all their fields, exported or not, except tagged ones. A new policy
// needs no code for it, and no field is forgotten.
//
// # Terms
//
//	root   a pointer to a value to be written, such as a policy
//	form   a fingerprint of all types below the roots: names, order and kinds of fields
//	apart  types whose pointers are left as they are, such as that of the corpus
//	tag    state:"-" leaves a field as it is; state:"same" demands that the reader's is equal
//
// # Guarantees
//
//  1. Values read into roots that were built alike equal the written ones, including shared
//     pointers and pointers to elements of slices. Pointers out of maps' values are not kept.
//  2. Read changes nothing if the form is another one (ErrForm). After any other error, such as
//     ErrSettings, the roots are unusable.
//  3. Functions and channels are left as they are.
//
// The bytes are those of this machine: another order of bytes or size of words is another form.
// The caller adds a checksum: Read trusts its input.
package state
