package demo_test

import (
	"github.com/recrawl/recrawl/cmd/show/evals"
	"github.com/recrawl/recrawl/eval/demo"
)

func init() { demo.PageOf = evals.SavingsPage }
