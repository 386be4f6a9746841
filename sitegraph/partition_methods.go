package sitegraph

// partitions are the ways to divide a server, in the order in which they are listed.
var partitions = []struct {
	method string
	divide func(g *Graph, s ServerID, counts func(PageID) bool) Partition
}{
	{"a", (*Graph).PartitionA},
	{"b", partitionB(false)},
	{"b-closure", partitionB(true)},
	// C uses the sites of B, and differs in which of them are checked [LINK 4.3].
	{"c", partitionB(false)},
	{"c-closure", partitionB(true)},
	{"server", (*Graph).PartitionServer},
	{"prefix", (*Graph).PartitionPrefix},
	{"shape", (*Graph).PartitionShape},
	{"community", (*Graph).PartitionCommunity},
}

func partitionB(closure bool) func(*Graph, ServerID, func(PageID) bool) Partition {
	return func(g *Graph, s ServerID, counts func(PageID) bool) Partition {
		return g.PartitionB(s, counts, closure)
	}
}

// PartitionMethods returns the names that Partition knows.
func PartitionMethods() []string {
	names := make([]string, len(partitions))
	for i, p := range partitions {
		names[i] = p.method
	}
	return names
}

// Partition divides the counted pages of a server by the method with this name, which is the Method
// of the result. It returns false for an unknown name. Needs Refresh.
func (g *Graph) Partition(method string, s ServerID, counts func(PageID) bool) (Partition, bool) {
	for _, p := range partitions {
		if p.method == method {
			result := p.divide(g, s, counts)
			result.Method = method
			return result, true
		}
	}
	return Partition{}, false
}
