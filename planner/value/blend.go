package value

import (
	"errors"
	"fmt"
	"sync"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/estimator/trees"
)

// Blend is the mean of a forest and a net, in log odds. They err in different ways: a forest where
// a threshold that was learnt lies elsewhere on another server, a net where something turns at
// once. Any number of goroutines may use it.
type Blend struct {
	Forest *trees.Forest   `json:"forest"`
	Net    *perceptron.Net `json:"net"`

	prepare    sync.Once
	fastForest *trees.Fast
	fastNet    *perceptron.Fast
}

func (b *Blend) check() error {
	if b.Forest == nil || b.Net == nil {
		return errors.New("a forest or a net is not there")
	}
	if f, n := b.Forest.Features, b.Net.Features; f != Features || n != Features {
		return fmt.Errorf("a forest over %d features and a net over %d, want %d", f, n, Features)
	}
	return errors.Join(b.Forest.Check(), b.Net.Check())
}

func (b *Blend) fast() (*trees.Fast, *perceptron.Fast) {
	b.prepare.Do(func() { b.fastForest, b.fastNet = b.Forest.Fast(), b.Net.Fast() })
	return b.fastForest, b.fastNet
}

// LogOdds of a row of Features numbers.
func (b *Blend) LogOdds(row []float32) float32 {
	forest, net := b.fast()
	return (forest.LogOdds(row) + net.LogOdds(row)) / 2
}

// LogOddsOf fills in the log odds of logodds.Lanes rows, given by their Features columns: the same
// to the bit as one by one.
func (b *Blend) LogOddsOf(columns []logodds.Column, sums *logodds.Column) {
	forest, net := b.fast()
	var other logodds.Column
	forest.LogOddsOf(columns, sums)
	net.LogOddsOf(columns, &other)
	for lane := range sums {
		sums[lane] = (sums[lane] + other[lane]) / 2
	}
}

// Explain adds to contributions, of length Features, what each feature adds to the log odds of a
// row, and returns what is left for no feature.
func (b *Blend) Explain(row []float32, contributions []float32) (start float32) {
	var parts [Features]float32
	start = b.Forest.Explain(row, parts[:]) + b.Net.Explain(row, parts[:])
	for i, x := range parts {
		contributions[i] += x / 2
	}
	return start / 2
}
