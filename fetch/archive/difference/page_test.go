package difference_test

import (
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch/archive/difference"
)

func init() { difference.TextOf = inside.DifferenceText }
