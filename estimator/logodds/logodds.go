// Package logodds turns log odds into probabilities.
package logodds

import "math"

// Probability returns the probability that log odds stand for.
func Probability(logOdds float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(logOdds))))
}
