// Package spelling finds the known word that is nearest to a misspelt one.
// It knows no language. The distance of two words is that of Levenshtein: the letters to insert,
// delete or replace.
package spelling
