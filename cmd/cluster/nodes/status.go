package nodes

// Status is how a cluster is getting on.
type Status struct {
	Cluster string        `json:"cluster"`
	Shards  int           `json:"shards"`
	Free    int           `json:"free"` // shards that no living node has
	Budget  Books         `json:"budget"`
	Nodes   []NodeStatus  `json:"nodes"`
	List    []ShardStatus `json:"list"`
}

// NodeStatus is a node.
type NodeStatus struct {
	Name string `json:"name"`
	// live, leaving, silent (no beat was seen while Look waited) or dead
	State   string  `json:"state"`
	Shards  int     `json:"shards"`
	Started string  `json:"started"`
	Clock   float64 `json:"clock"` // seconds by which its clock is ahead of that of all
	Version string  `json:"version"`
	Trouble string  `json:"trouble"`
}

// ShardStatus is a shard.
type ShardStatus struct {
	ShardReport
	Node  string `json:"node"` // "": nobody has it
	Epoch uint64 `json:"epoch"`
}
