package nodes

import "time"

// Sight is the state of a node as it sees itself.
type Sight struct {
	Lease     time.Duration // how long its lease still holds without another answer
	Ahead     time.Duration // of its clock, before the correction
	Others    int           // other living nodes
	Trouble   string        // why it makes no visits; "": it does
	Shards    []ShardReport // that it has
	Portable  int           // shards that others can get a copy of
	Coming    int           // shards that are to move here
	Visits    int64         // since the start of the process
	Addresses int           // addresses that it has, or is about to get
}
