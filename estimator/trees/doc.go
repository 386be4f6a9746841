// Package trees holds boosted decision trees that turn what is known of a page into the
// log odds of a change: how they answer, how they say why, and how they are learnt.
//
// All trees are oblivious: one question a level, the same for all nodes of the level. So a
// tree of depth d asks d questions whatever the answers, and needs no branches.
//
// # Terms
//
//	feature   one number known of a page, by its place in a row
//	row       the features of one page, of one length for a forest
//	question  is feature f above a threshold?
//	leaf      what a tree adds to the log odds for one set of answers
//
// # Guarantees
//
//  1. A forest is read-only once made; any number of goroutines may ask it, and asking
//     allocates nothing.
//  2. The log odds are the sum of a start value and one leaf of each tree. The contributions of
//     the features and the start that Explain returns add up to them.
//  3. Learning is deterministic: the same rows in the same order give the same forest,
//     whatever the number of processors.
//  4. A NaN answers every question with no.
//
// Sources: Friedman 2001 for gradient boosting; Prokhorenkova et al. 2018 for oblivious
// trees; Saabas 2014 for contributions along a path.
package trees
