// Package words writes numbers, lists and times as people read them.
//
// It knows nothing of this program. So errors and messages of every folder have the same words as
// the tables of commands.
package words
