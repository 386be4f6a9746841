// Package learn makes the parameters of the policy value from histories: it replays sweeps and
// streams, looks over the policy's shoulder, and fits forests and nets to what it knew and what was
// true.
//
// Words
//
//	example   the features of a page at a moment, and whether a visit would have seen a change
//	fold      a share of the servers; the blend of a fold learnt from the others alone
//
// Promises
//
//  1. The same histories, options and seed give the same parameters.
//  2. No example of a fold's servers reaches the blend that judges them.
//  3. Examples come from the protocols of package eval as they are; nothing looks ahead but
//     the outcome of the example itself.
//
// How: the first runs are made by a rule without parameters; then forests and nets are learnt, and
// more runs made by them, so that they learn from the situations that they bring about. These runs
// score pages that others only lift (see ScoreAll of value). Half of the examples are pages that
// the policy chose, half are pages drawn at random. Each server counts by the root of its
// examples, so that large ones do not decide alone. Variants of value that are denied a kind of
// evidence learn from the same examples, in which it is masked.
package learn
