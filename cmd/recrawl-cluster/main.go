// Command recrawl-cluster has the commands of recrawl for several machines, which recrawl calls.
package main

import (
	"github.com/recrawl/recrawl/cmd/cluster"
	"github.com/recrawl/recrawl/cmd/core"
)

func main() { core.MainOf(cluster.Part) }
