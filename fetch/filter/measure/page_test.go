package measure_test

import (
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch/filter/measure"
)

func init() { measure.TablesOf = inside.MeasuredTables }
