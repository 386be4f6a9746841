// Command recrawl-search has the commands of recrawl for corpora, which recrawl calls.
package main

import (
	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/search"
)

func main() { core.MainOf(search.Part) }
