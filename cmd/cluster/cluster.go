// Package cluster has the commands for several machines, which need NATS and gRPC: node, whose
// crawl is shared, and frontier, which serves other crawlers. The program recrawl-cluster is made
// of them.
package cluster

import "github.com/recrawl/recrawl/cmd/core"

// Part is what recrawl-cluster does.
var Part = &core.Part{Name: "cluster",
	Works: core.Works{
		"node": runNode, "node-status": nodeStatus, "node-hint": nodeHint,
		"node-abandon": nodeAbandon,
		"frontier":     serveFrontier,
	}}
