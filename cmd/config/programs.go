package config

import "github.com/recrawl/recrawl/fetch/filter"

// Settings of commands in other programs follow. Their types have the fields of the packages that
// do the work, and those programs convert them. So this program does not need these packages.

// Nodes has the settings that connect a node with others.
type Nodes struct {
	Cluster   string   `default:"recrawl" help:"name of the crawl, the same on all nodes: letters, digits, - and _"`
	NATS      string   `help:"address of running NATS servers, e.g. nats://10.0.0.1:4222; none: the node runs one itself"`
	Listen    string   `default:"127.0.0.1:7422" help:"address and port at which the node's own server listens to recrawl node status; one that others can reach needs --token-file"`
	Routes    []string `help:"addresses of the servers of all nodes, e.g. 10.0.0.1:7423,10.0.0.2:7423,10.0.0.3:7423; none: one node"`
	RouteAt   string   `key:"route-at" help:"address and port at which the node's own server listens to those of other nodes, e.g. 10.0.0.1:7423"`
	Replicas  int      `range:"[0,5]" help:"copies of the agreements of nodes: 1, 3 or 5; 0: 3 with three routes or more, 5 with five, else 1"`
	Space     int64    `default:"64000000000" range:"[1000000000,)" want:"1000000000 bytes or more" help:"bytes of --data for the node's own server, with copies and logs of the shards' stores; when they are used up shards wait"`
	TokenFile string   `key:"token-file" help:"file, of mode 0600, with a word of 16 bytes or more that nodes and recrawl node status send; all have the same"`
}

// Frontier has the settings of frontier.
type Frontier struct {
	Listen         string `default:"127.0.0.1:7071" help:"address and port to listen on; one that others can reach needs --token-file"`
	TokenFile      string `key:"token-file" help:"file, of mode 0600, with the token that callers must send; none: this machine may call, without one"`
	Certificate    string `help:"PEM file with the certificate of the server, for TLS; none: no encryption"`
	CertificateKey string `key:"certificate-key" help:"PEM file with its key"`
	Web            string `help:"address and port of the same API by HTTP with JSON, e.g. 127.0.0.1:7072; none: no HTTP"`
	RankBy         string `key:"rank-by" default:"{policy}" help:"policy that ranks URLs with reported outcomes; none: all come by date"`
}

// Build has the settings of corpus build.
type Build struct {
	filter.SelectionOptions `key:"rules"`

	Annotate []string `help:"program that annotates the documents, with its arguments; each line it gets is a document, its answer a JSON array"`
	Unit     int      `default:"1000000" range:"[100,10000000]" help:"pages of a unit of the index"`
	Garbage  float64  `default:"0.3" range:"(0,1]" want:"a share above 0 and at most 1" help:"share of deleted identifiers at which units of the index are rebuilt"`
}

// Weigh has the settings of corpus weigh.
type Weigh struct {
	By      string   `default:"results" oneof:"results, trust, servers, plain" want:"results, trust, servers or plain" help:"results: places among the first ten results of searches; trust: links that lead there from --seeds; servers: other servers that link there; plain: PageRank, which link farms move"`
	Queries string   `path:"any" help:"results: file of searches, one a line, repeated by frequency; none: random searches for words of the texts"`
	Draw    int      `default:"1000" range:"[1,1000000]" help:"results without --queries: number of random searches"`
	Seeds   []string `help:"trust: servers or URLs that it comes from, e.g. www.example.org"`
}

// BenchFetch has the settings of bench fetch.
type BenchFetch struct {
	Servers  int    `default:"200" range:"[2,1000000]" help:"addresses that serve pages"`
	Pages    int    `default:"40" range:"[2,1000]" help:"pages of each"`
	Rounds   int    `default:"3" range:"[1,1000]" help:"repetitions; the clients take turns"`
	Parallel int    `default:"64" range:"[1,10000]" help:"pages at a time"`
	InFlight int    `key:"in-flight" range:"[0,10000]" help:"also measure memory with this number of visits under way; 0: no"`
	Known    int    `default:"100000" range:"[1,1000000]" help:"number of known servers then"`
	Dir      string `path:"directory" help:"a directory for the files (default: that for temporary files)"`
	HTML     string `path:"any" help:"also write a report with charts to this file"`
}
