package dashboard

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/recrawl/recrawl/cmd/cluster/nodes"
	"github.com/recrawl/recrawl/fetch/access"
)

// Node serves the metrics of a node at /metrics, to everybody: they are only counts. A nil Node
// serves nothing.
type Node struct {
	last   atomic.Pointer[nodes.Sight]
	server *http.Server
	at     string

	desc map[string]*prometheus.Desc
}

// nodeMetrics are the metrics without labels: names, help, and values by a sight.
var nodeMetrics = []struct {
	name, help string
	kind       prometheus.ValueType
	of         func(s *nodes.Sight) float64
}{
	{"lease_seconds", "Time until the lease ends if no other node answers; below 0 this node " +
		"makes no visits", prometheus.GaugeValue,
		func(s *nodes.Sight) float64 { return s.Lease.Seconds() }},
	{"clock_ahead_seconds", "Time by which the clock is ahead of the clocks of most nodes",
		prometheus.GaugeValue, func(s *nodes.Sight) float64 { return s.Ahead.Seconds() }},
	{"others", "Other live nodes", prometheus.GaugeValue, func(s *nodes.Sight) float64 {
		return float64(s.Others)
	}},
	{"trouble", "1 if this machine makes no visits, for example with a full disk", prometheus.GaugeValue,
		func(s *nodes.Sight) float64 { return boolean(s.Trouble != "") }},
	{"portable_shards", "Shards whose copy other nodes can get", prometheus.GaugeValue,
		func(s *nodes.Sight) float64 { return float64(s.Portable) }},
	{"coming_shards", "Shards that will move to this node", prometheus.GaugeValue,
		func(s *nodes.Sight) float64 { return float64(s.Coming) }},
	{"visits_total", "Visits made", prometheus.CounterValue, func(s *nodes.Sight) float64 {
		return float64(s.Visits)
	}},
	{"addresses", "IP addresses that only this node may visit", prometheus.GaugeValue,
		func(s *nodes.Sight) float64 { return float64(s.Addresses) }},
	{"known_pages", "Known pages", prometheus.GaugeValue,
		sum(func(r *nodes.ShardReport) int { return r.Pages })},
	{"waiting_pages", "New pages that wait for their first visit", prometheus.GaugeValue,
		sum(func(r *nodes.ShardReport) int { return r.Waiting })},
	{"sending_links", "Links that other shards have not stored yet",
		prometheus.GaugeValue, sum(func(r *nodes.ShardReport) int { return r.Sending })},
	{"dropped_links", "Links dropped for lack of room since the shards came to this node", prometheus.GaugeValue,
		sum(func(r *nodes.ShardReport) int { return r.Dropped })},
	{"round_used_fetches", "Used fetches of the round's budget", prometheus.GaugeValue,
		sum(func(r *nodes.ShardReport) int { return r.Used })},
	{"round_granted_fetches", "Budget of the round in fetches; 0 also without a budget", prometheus.GaugeValue,
		sum(func(r *nodes.ShardReport) int { return max(r.Granted, 0) })},
	{"failed_shards", "Shards with an error", prometheus.GaugeValue,
		sum(func(r *nodes.ShardReport) int { return int(boolean(r.Error != "")) })},
}

// sum returns the sum of a number over all shards.
func sum(of func(*nodes.ShardReport) int) func(*nodes.Sight) float64 {
	return func(s *nodes.Sight) float64 {
		all := 0
		for i := range s.Shards {
			all += of(&s.Shards[i])
		}
		return float64(all)
	}
}

// shardStates are all states, so that a state without shards is 0 and not absent.
var shardStates = []string{"opening", "running", "closing", "failed"}

// ServeNode begins to serve at an address, under its names and the given ones. With "" it serves
// nothing and returns nil.
func ServeNode(address, version string, names ...string) (*Node, error) {
	if address == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w at %s: %w", ErrListen, address, err)
	}
	n := &Node{at: listener.Addr().String(), desc: map[string]*prometheus.Desc{}}
	for _, m := range nodeMetrics {
		n.desc[m.name] = prometheus.NewDesc("recrawl_node_"+m.name, m.help, nil, nil)
	}
	n.desc["shards"] = prometheus.NewDesc("recrawl_node_shards", "Shards of this node, by state",
		[]string{"state"}, nil)
	registry := prometheus.NewRegistry()
	registry.MustRegister(n, buildInfo(version), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics",
		promhttp.HandlerFor(registry,
			promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: answerIn}))
	if host, _, err := net.SplitHostPort(address); err == nil {
		names = append(names, host)
	}
	n.server = &http.Server{Handler: access.OwnNamesAt(listener.Addr(), names...).Guard(mux),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute, MaxHeaderBytes: 16 << 10}
	go n.server.Serve(listener) // it ends with Close
	return n, nil
}

// Address returns the address of the metrics; "": none.
func (n *Node) Address() string {
	if n == nil {
		return ""
	}
	return n.at
}

// Tell takes in the state of the node.
func (n *Node) Tell(s nodes.Sight) {
	if n != nil {
		n.last.Store(&s)
	}
}

// Close ends the server.
func (n *Node) Close() error {
	if n == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return n.server.Shutdown(ctx)
}

// Describe sends nothing: the metrics depend on the last Tell.
func (n *Node) Describe(chan<- *prometheus.Desc) {}

// Collect collects the metrics of a scrape.
func (n *Node) Collect(out chan<- prometheus.Metric) {
	s := n.last.Load()
	if s == nil { // the node has not joined yet
		return
	}
	for _, m := range nodeMetrics {
		out <- prometheus.MustNewConstMetric(n.desc[m.name], m.kind, m.of(s))
	}
	for _, state := range shardStates {
		in := sum(func(r *nodes.ShardReport) int { return int(boolean(r.State == state)) })
		out <- prometheus.MustNewConstMetric(n.desc["shards"], prometheus.GaugeValue, in(s), state)
	}
}
