package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// builder makes one server: first its pages and links, then its life.
type builder struct {
	*server
	rng   *rand.Rand
	names map[string]bool // used names of sections
	now   int32           // birth time of new pages
}

func newServer(o Options, i int, p plan) *server {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(i)+1))
	s := &server{
		name: serverName(i, o.Seed*0x9e3779b97f4a7c15>>8, p.domain), plan: p, start: o.Start.Unix(),
		end: int32(o.Weeks) * weekSeconds, byPath: make(map[string]*page, p.pages+p.pages/2),
	}
	b := &builder{server: s, rng: rng, names: map[string]bool{"blog": true}}
	s.style = newStyle(p, rng)
	b.build(p.pages)
	b.relate()
	b.live()
	s.finish(rng)
	return s
}

// build makes the pages that exist at the start: n, or one or two more.
func (b *builder) build(n int) {
	root := b.root()
	for range min(n-len(b.pages), 2+b.rng.IntN(5)) {
		b.member(root)
	}
	if b.style.blog {
		b.buildBlog(root, n/3)
	}
	for len(b.pages) < n {
		size := int(12 * math.Exp(0.6*b.rng.NormFloat64()))
		size = min(max(size, 4), 40, n-len(b.pages))
		if size < 3 {
			for range size {
				b.member(root)
			}
			return
		}
		g := b.section(root)
		for range size - 1 {
			b.member(g)
		}
	}
}

// root makes the start page, or the frameset, its menu and its body.
func (b *builder) root() *group {
	g := &group{dir: b.directory("/")}
	start := b.add("/", kindStart, g)
	start.title = "Welcome"
	g.hub, b.top = start, start
	if b.style.frames {
		start.kind = kindFrameset
		menu, body := b.add("/menu.html", kindMenu, g), b.add("/top.html", kindStart, g)
		menu.title, body.title = "Menu", "Welcome"
		menu.up, body.up = start, menu
		start.children = []*page{menu, body}
		g.hub, b.top = menu, body
	}
	b.groups = append(b.groups, g)
	return g
}

// section makes a group, listed by the root or, one time in three, below an older section: by its
// hub or by one of its members.
func (b *builder) section(root *group) *group {
	above := root
	if k := len(b.groups); k > 1 && b.rng.Float64() < 0.35 {
		above = b.groups[1+b.rng.IntN(k-1)]
	}
	up := above.hub
	if above != root && len(above.members) > 0 && b.rng.Float64() < 0.4 {
		up = above.members[b.rng.IntN(len(above.members))]
		up.mortal = false
	}
	name := b.sectionName()
	parent := "/"
	if above != root && above.dir != "/" && b.style.flat == flatNot {
		parent = above.dir
	}
	g := &group{dir: b.directory(parent + name + "/")}
	path := g.dir
	if b.style.flat != flatNot {
		path = b.flatPath(g, name)
	}
	g.hub = b.add(path, kindHub, g)
	g.hub.title = name
	g.hub.up = up
	up.children = append(up.children, g.hub)
	b.groups = append(b.groups, g)
	if b.style.nav && above == root && len(b.nav) < 9 {
		b.nav = append(b.nav, g.hub)
	}
	return g
}

// directory returns the directory of a group's pages; it is dir if directories are sites.
func (b *builder) directory(dir string) string {
	switch b.style.flat {
	case flatRoot, flatQuery:
		return "/"
	case flatOne:
		return "/html/"
	}
	return dir
}

func (b *builder) flatPath(g *group, name string) string {
	if b.style.flat == flatQuery {
		return fmt.Sprintf("/view.php?id=%d", len(b.pages))
	}
	return g.dir + name + ".html"
}

func (b *builder) sectionName() string {
	name := sections[b.rng.IntN(len(sections))]
	for k := 2; b.names[name]; k++ {
		name = fmt.Sprintf("%s%d", sections[b.rng.IntN(len(sections))], k)
	}
	b.names[name] = true
	return name
}

// member makes a page of a group and lists it in the hub.
func (b *builder) member(g *group) *page {
	g.next++
	word := words[60+b.rng.IntN(len(words)-60)]
	name := fmt.Sprintf("%s-%d", word, g.next)
	if g.dir == "/" || g.dir == "/html/" { // shared with other groups
		name = fmt.Sprintf("%s-%d", word, len(b.pages))
	}
	p := b.add(b.flatPath(g, name), kindLeaf, g)
	p.up = g.hub
	p.title = word + " " + words[60+b.rng.IntN(len(words)-60)]
	p.mortal = g.hub.kind == kindHub && b.rng.Float64() < 0.08
	g.members = append(g.members, p)
	g.hub.children = append(g.hub.children, p)
	return p
}

func (b *builder) add(path string, k kind, g *group) *page {
	parts := 1 + b.rng.IntN(3)
	if k == kindLeaf || k == kindPost {
		parts = 3 + b.rng.IntN(8)
	}
	p := &page{path: path, kind: k, seed: b.rng.Uint64(), group: g, parts: parts, born: b.now,
		gone: forever}
	if b.byPath[path] != nil {
		panic(fmt.Sprintf("synth: %s%s made twice", b.name, path))
	}
	b.byPath[path] = p
	b.pages = append(b.pages, p)
	return p
}

// relate adds links across the structure, between pages that never vanish: neighbours in a group,
// and sometimes any other page. (Posts have links to the post before.)
func (b *builder) relate() {
	old := slices.Clone(b.pages)
	for _, g := range b.groups {
		for i, p := range g.members {
			if i > 0 && p.kind == kindLeaf && !g.members[i-1].mortal && b.rng.Float64() < 0.5 {
				p.related = append(p.related, g.members[i-1])
			}
			if q := old[b.rng.IntN(len(old))]; q != p && !q.mortal && b.rng.Float64() < 0.2 {
				p.related = append(p.related, q)
			}
		}
	}
}
