package sitegraph

import (
	"cmp"
	"slices"
	"strings"
)

// PartitionShape divides a server by the shapes of its addresses (see Shape): pages made by
// one template are one site wherever they lie.
//
//  1. The name of a directory with too few pages below it for a site becomes a star, since no
//     shape with that name can be a site. Names of which one place has very many, such as
//     slugs, also become stars: at most as many as the square root of the server's pages can be
//     frequent.
//  2. A shape with enough pages is a site. A shape with fewer is generalised step by step, and
//     joins the shapes that become equal. First it loses the names of its parameters. Then its
//     directories become stars from the last to the first. Then it loses the ending of its last
//     name. At last it belongs to the rest of the server.
//
// Enough is about the square root of the server's pages; only the rest may have fewer. Tops,
// counted pages, and the order of sites are as in PartitionPrefix. Needs Refresh.
func (g *Graph) PartitionShape(s ServerID, counts func(PageID) bool) Partition {
	g.check(s)
	l := g.list(s, counts)
	t, label := newShapeTable(l.paths)
	order := make([]int32, len(t.pages))
	for i := range order {
		order[i] = int32(i)
	}
	t.star(order, 0, enough(len(l.pages)))
	parent, node := t.tree(order)
	pages := make([]int32, len(parent))
	for i, n := range t.pages {
		pages[node[i]] += n
	}
	site := cut(parent, pages, enough(len(l.pages)))
	for i, shape := range label {
		label[i] = site[node[shape]]
	}
	return l.partition("shape", label, len(parent))
}

// shapeTable holds the distinct shapes of some addresses, each a row of names by number:
// number of directories, ending of the last name, directories, query.
type shapeTable struct {
	pages []int32 // by shape
	first []int32 // by shape, of its row; one more at the end
	names []int32
}

// starred is the number of the name that stands for all; there is no shorter row than two.
const (
	starred     = 0
	directories = 2 // where they begin in a row
)

// newShapeTable also returns the shape of each path.
func newShapeTable(paths []string) (t *shapeTable, shape []int32) {
	t, shape = &shapeTable{first: []int32{0}}, make([]int32, len(paths))
	numbers := map[string]int32{}
	names := map[string]int32{"*": starred}
	number := func(name string) int32 {
		n, ok := names[name]
		if !ok {
			n = int32(len(names))
			names[name] = n
		}
		return n
	}
	var buffer []byte
	for i, path := range paths {
		buffer = appendShape(buffer[:0], path)
		n, ok := numbers[string(buffer)]
		if !ok {
			n = int32(len(t.pages))
			text := string(buffer)
			numbers[text] = n
			t.pages = append(t.pages, 0)
			t.append(text, number)
		}
		shape[i] = n
		t.pages[n]++
	}
	return t, shape
}

// append adds the row of a shape.
func (t *shapeTable) append(text string, number func(string) int32) {
	path, query, hasQuery := strings.Cut(text[1:], "?")
	last := strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/') + 1
	ending := path[last:]
	if hasQuery {
		ending += "?"
	}
	t.names = append(t.names, 1+int32(strings.Count(path[:last], "/")), number("/"+ending))
	for name := range strings.SplitSeq(path[:max(last-1, 0)], "/") {
		if last > 0 {
			t.names = append(t.names, number(name))
		}
	}
	if hasQuery {
		t.names = append(t.names, number("?"+query))
	}
	t.first = append(t.first, int32(len(t.names)))
}

// row returns the names of a shape, directories those of them that are.
func (t *shapeTable) row(shape int32) []int32 { return t.names[t.first[shape]:t.first[shape+1]] }

func (t *shapeTable) directories(shape int32) []int32 {
	row := t.row(shape)
	return row[directories : directories+row[0]-1]
}

// star stars the directories at a level that have fewer than enough pages below them, of
// shapes with the same directories above, and goes on below. It reorders the shapes.
func (t *shapeTable) star(shapes []int32, level, enough int) {
	deeper := 0 // those that have a directory at the level come first
	for i, s := range shapes {
		if len(t.directories(s)) > level {
			shapes[i], shapes[deeper] = shapes[deeper], s
			deeper++
		}
	}
	shapes = shapes[:deeper]
	if t.sum(shapes) < enough {
		return // no site can come of them by name
	}
	byName := func(a, b int32) int {
		return cmp.Compare(t.directories(a)[level], t.directories(b)[level])
	}
	slices.SortFunc(shapes, byName)
	t.eachRun(shapes, level, func(run []int32) {
		if t.sum(run) < enough {
			for _, s := range run {
				t.directories(s)[level] = starred
			}
		}
	})
	slices.SortFunc(shapes, byName)
	t.eachRun(shapes, level, func(run []int32) { t.star(run, level+1, enough) })
}

// eachRun calls f for the sorted shapes with each name at a level.
func (t *shapeTable) eachRun(shapes []int32, level int, f func(run []int32)) {
	for len(shapes) > 0 {
		n := 1
		for n < len(shapes) && t.directories(shapes[n])[level] == t.directories(shapes[0])[level] {
			n++
		}
		f(shapes[:n])
		shapes = shapes[n:]
	}
}

func (t *shapeTable) sum(shapes []int32) int {
	pages := 0
	for _, s := range shapes {
		pages += int(t.pages[s])
	}
	return pages
}

// tree makes the tree of shapes and their generalisations: the parent of each node, the
// root being 0, and each shape's node. A starred name makes no node: what is starred is as
// general as the node above.
func (t *shapeTable) tree(order []int32) (parent, node []int32) {
	slices.SortFunc(order, func(a, b int32) int { return slices.Compare(t.row(a), t.row(b)) })
	parent, node = []int32{0}, make([]int32, len(order))
	path := []int32{0} // the node of each beginning of the row before
	var last []int32
	for _, s := range order {
		row := t.row(s)
		shared := 0
		for shared < min(len(row), len(last)) && row[shared] == last[shared] {
			shared++
		}
		path = path[:shared+1]
		for _, name := range row[shared:] {
			above := path[len(path)-1]
			if name == starred {
				path = append(path, above)
				continue
			}
			path = append(path, int32(len(parent)))
			parent = append(parent, above)
		}
		node[s] = path[len(path)-1]
		last = row
	}
	return parent, node
}
