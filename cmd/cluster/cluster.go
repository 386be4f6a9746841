// Package cluster has the commands for several machines, which need NATS and gRPC: node shares a
// crawl, and frontier serves other crawlers. They make up the program recrawl-cluster.
package cluster

import "github.com/recrawl/recrawl/cmd/core"

// Part has the commands of recrawl-cluster.
var Part = &core.Part{Name: "cluster",
	Works: core.Works{
		"node": runNode, "node-status": nodeStatus, "node-hint": nodeHint,
		"node-abandon": nodeAbandon,
		"frontier":     serveFrontier,
	}}
