package sitegraph

import "strings"

// PartitionPrefix divides a server by path prefixes: a site is the deepest prefix, up to a slash,
// that has enough pages without those of deeper sites. A directory with fewer is a part of the one
// above. Thousands of directories like /post/a-title/ are one site, and a directory with its own
// sections is several. Enough is about the square root of the server's pages; only the topmost site
// may have fewer. http and https are one tree.
//
// A site's tops are the start pages and their frames. If it has none, its top is the page of least
// depth, most in-links, shortest URL. Counted pages, and the order of sites, are as in
// PartitionA; every page is in one site. Needs Refresh.
func (g *Graph) PartitionPrefix(s ServerID, counts func(PageID) bool) Partition {
	g.check(s)
	l := g.list(s, counts)
	parent, label := prefixTree(l.paths)
	pages := make([]int32, len(parent))
	for _, node := range label {
		pages[node]++
	}
	site := cut(parent, pages, enough(len(l.pages)))
	for i, node := range label {
		label[i] = site[node]
	}
	return l.partition("prefix", label, len(parent))
}

// prefixTree returns the tree of the directories of sorted paths: the parent of each node, with the
// root as 0, and each path's node.
func prefixTree(paths []string) (parent, node []int32) {
	type level struct {
		end  int // of the directory in the path
		node int32
	}
	parent, node = []int32{0}, make([]int32, len(paths))
	open := []level{{0, 0}} // the directory of the path before, and its parents
	last := ""
	for i, path := range paths {
		directory := Directory(path)
		shared := sharedPrefix(last, directory)
		for open[len(open)-1].end > shared {
			open = open[:len(open)-1]
		}
		for {
			above := open[len(open)-1]
			slash := strings.IndexByte(directory[above.end:], '/')
			if slash < 0 {
				break
			}
			open = append(open, level{above.end + slash + 1, int32(len(parent))})
			parent = append(parent, above.node)
		}
		node[i] = open[len(open)-1].node
		last = directory
	}
	return parent, node
}

// sharedPrefix returns the length of the common prefix of two texts.
func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
