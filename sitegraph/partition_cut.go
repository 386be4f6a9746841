package sitegraph

import "math"

// leastSite is the least number of pages that a site should have: with fewer, a visit to its top
// saves one visit to another page, and costs as much.
const leastSite = 3

// enough returns how many pages a site of a server should have: the square root of the server's. A
// top is a sample of its site. Sites of k of n pages take n/k visits to tops before any member is
// fetched, and the error of judging by one page grows about like k. n/k + k is least at k =
// sqrt(n), the square-root law of sampling [Cho and Ntoulas 2002].
func enough(pages int) int {
	return max(leastSite, int(math.Ceil(math.Sqrt(float64(pages)))))
}

// cut divides a tree into sites from the leaves up. A node with enough pages, its own and those
// passed on by its children, is a site; a node with fewer passes them on to its parent. The root
// keeps the rest. Parents have smaller numbers than their children; the root is 0. pages has the
// number of each node's own pages, and is overwritten. cut returns for each node the node whose
// site gets its pages: at most pages/enough nodes, and the root.
func cut(parent, pages []int32, enough int) []int32 {
	site := make([]int32, len(parent))
	for i := len(parent) - 1; i > 0; i-- {
		site[i] = int32(i)
		if int(pages[i]) < enough {
			site[i] = -1
			pages[parent[i]] += pages[i]
		}
	}
	for i := 1; i < len(parent); i++ {
		if site[i] < 0 {
			site[i] = site[parent[i]]
		}
	}
	return site
}
