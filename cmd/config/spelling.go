package config

import (
	"fmt"
	"strings"
)

// farthest is the distance up to which a known word is suggested for another.
const farthest = 3

// Suggest names the known word nearest to a misspelt one, or else all known words.
func Suggest(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "known are: " + strings.Join(known, ", ")
}

// Nearest returns the known word nearest to a misspelt one, the first of several; "" if none is
// near, since it shares too few letters.
func Nearest(word string, known []string) (best string) {
	distance := min(farthest, len(word)-1) + 1
	for _, k := range known {
		if d := Distance(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// Distance counts the letters to insert, delete or replace; a letter is a byte.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
