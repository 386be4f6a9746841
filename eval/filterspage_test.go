package eval_test

import (
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/eval"
)

func init() { eval.TablesOf = inside.MeasuredTables }
