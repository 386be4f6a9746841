// Command recrawl-lab has the commands of recrawl for measurements, which recrawl calls.
package main

import (
	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/lab"
)

func main() { core.MainOf(lab.Part) }
