// Package spelling finds the word that a misspelt one was to be.
// It knows no language: near is what few changed letters turn into each other.
//
// Distance is the Levenshtein distance: the letters to insert, delete or replace.
package spelling
