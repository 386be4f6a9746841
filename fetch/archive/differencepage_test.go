package archive_test

import (
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch/archive"
)

func init() { archive.TextOf = inside.DifferenceText }
