package nodes

import "time"

// Sight is how a node is getting on, as it sees that itself.
type Sight struct {
	Lease     time.Duration // how long its lease holds still, without another answer
	Ahead     time.Duration // of its clock, before that is corrected
	Others    int           // other nodes that live
	Trouble   string        // why it makes no visits; "": nothing
	Shards    []ShardReport // that it has
	Portable  int           // of these, those of which others can get a copy
	Coming    int           // shards that are to move here
	Visits    int64         // since the process began
	Addresses int           // that it has, or is about to
}
