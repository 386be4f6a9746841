package nodes

// Status is the state of a cluster.
type Status struct {
	Cluster string        `json:"cluster"`
	Shards  int           `json:"shards"`
	Free    int           `json:"free"` // shards without a living holder
	Budget  Books         `json:"budget"`
	Nodes   []NodeStatus  `json:"nodes"`
	List    []ShardStatus `json:"list"`
}

// NodeStatus is the state of a node.
type NodeStatus struct {
	Name string `json:"name"`
	// State is live, leaving, silent (no beat was seen while Look waited) or dead.
	State   string  `json:"state"`
	Shards  int     `json:"shards"`
	Started string  `json:"started"`
	Clock   float64 `json:"clock"` // seconds by which its clock is ahead of that of all
	Version string  `json:"version"`
	Trouble string  `json:"trouble"`
}

// ShardStatus is the state of a shard.
type ShardStatus struct {
	ShardReport
	Node  string `json:"node"` // "": nobody has it
	Epoch uint64 `json:"epoch"`
}
