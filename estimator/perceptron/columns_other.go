//go:build !amd64

package perceptron

import "github.com/recrawl/recrawl/estimator/logodds"

func (f *Fast) ask(columns []logodds.Column, sums *logodds.Column) { f.askPlainly(columns, sums) }
