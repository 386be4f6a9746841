package tune

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/eval/history"
)

// repeat repeats a known week of the server: the same changes, births and deaths, at the same
// times. A page born again is a new one of its kind, linked from the same pages. It replaces the
// first one: later events of that happen to the latest of them.
func (f *future) repeat(number int) {
	todo := slices.Clone(f.past.weeks[number])
	slices.SortStableFunc(todo, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(rank(a.what), rank(b.what)))
	})
	twins := map[int32]*instance{} // of pages born in this week
	for _, t := range todo {
		switch t.what {
		case changed:
			if i := f.as(t.page, true); i != nil {
				f.change(i, t)
			}
		case died:
			if i := f.as(t.page, false); i != nil {
				f.end(i, t.at)
			}
		case born:
			twins[t.page] = f.bear(t)
		case revived:
			f.revive(t)
		}
	}
	for _, page := range slices.Sorted(maps.Keys(twins)) {
		f.link(page, twins)
	}
}

// as returns the current page for a page of the past: the latest of those that live as it, or else
// a stand-in with the same address shape, or with anyShape any page of the server. It returns nil
// if there is none.
func (f *future) as(page int32, anyShape bool) *instance {
	for _, n := range slices.Backward(f.of[page]) {
		if i := f.pages[n]; i.alive() {
			return i
		}
	}
	if i := f.standIn[page]; i != nil && i.alive() {
		return i
	}
	shape := f.past.shape[page]
	i := f.next(int(shape))
	if i == nil && anyShape {
		i = f.next(f.past.shapes)
	}
	f.standIn[page] = i
	return i
}

// next returns the next living page of a shape, or of the server, in random order, so that each
// stands in once before any does twice.
func (f *future) next(shape int) *instance {
	for range 2 {
		for queue := f.queues[shape]; len(queue) > 0; queue = f.queues[shape] {
			f.queues[shape] = queue[1:]
			if i := f.pages[queue[0]]; i.alive() {
				return i
			}
		}
		for n, i := range f.pages {
			if i.alive() && (shape == f.past.shapes || int(f.past.shape[i.as]) == shape) {
				f.queues[shape] = append(f.queues[shape], int32(n))
			}
		}
		queue := f.queues[shape]
		f.rng.Shuffle(len(queue), func(a, b int) { queue[a], queue[b] = queue[b], queue[a] })
	}
	return nil
}

// rank sorts births before changes at the same time, so that these can link to the new pages.
func rank(w what) int {
	if w == changed {
		return 1
	}
	return 0
}

// change gives a living page a new content and its pending links.
func (f *future) change(i *instance, t turn) {
	last := i.versions[len(i.versions)-1]
	now := f.time(t.at)
	if !last.Alive() || now <= last.T {
		return
	}
	v := last
	v.T = now
	v.Digests.Bytes = f.content()
	if t.text && !v.Digests.Text.IsZero() {
		v.Digests.Text = f.content()
	}
	if t.main && !v.Digests.Main.IsZero() {
		v.Digests.Main = f.content()
	}
	if len(i.pending) > 0 {
		v.Links = slices.Concat(v.Links, i.pending)
		v.LinksKnown = true
		i.pending = nil
	}
	i.versions = append(i.versions, v)
}

// end is the death of a living page.
func (f *future) end(i *instance, at int32) {
	if f.time(at) > i.versions[len(i.versions)-1].T {
		i.versions = append(i.versions, history.Version{T: f.time(at), Gone: true})
	}
}

// revive brings back a dead page.
func (f *future) revive(t turn) {
	for _, n := range f.of[t.page] {
		i := f.pages[n]
		last := i.versions[len(i.versions)-1]
		if last.Alive() || f.time(t.at) <= last.T {
			continue
		}
		for k := len(i.versions) - 1; k >= 0; k-- {
			if v := i.versions[k]; v.Alive() {
				v.T = f.time(t.at)
				v.Digests.Bytes, v.Digests.Text, v.Digests.Main = f.content(), f.content(),
					f.content()
				i.versions = append(i.versions, v)
				return
			}
		}
	}
}

// bear adds a new page like t.page, which was born at turn t of the past. Pages that came to link
// to t.page will link to the new page from their next change on.
func (f *future) bear(t turn) *instance {
	first := f.past.server.Pages[t.page]
	v := first.Versions[slices.IndexFunc(first.Versions, func(v history.Version) bool {
		return v.Alive()
	})]
	v.T = f.time(t.at)
	v.Digests.Bytes, v.Digests.Text, v.Digests.Main = f.content(), f.content(), f.content()
	i := &instance{as: t.page, url: f.address(first.URL), versions: []history.Version{v}}
	f.add(i)
	for _, hub := range f.past.hubs[t.page] {
		if p := f.as(hub, false); p != nil {
			p.pending = append(p.pending, i.url)
		}
	}
	return i
}

// link lets a new page link to those that were born with it, like the page of the past.
func (f *future) link(page int32, twins map[int32]*instance) {
	for k := range twins[page].versions {
		v := &twins[page].versions[k]
		v.Links = slices.Clone(v.Links)
		for l, url := range v.Links {
			if to, ok := f.byURL[url]; ok && twins[to] != nil {
				v.Links[l] = twins[to].url
			}
		}
	}
}

// address returns a new URL of the same shape: with "~2" after the last name.
func (f *future) address(url string) string {
	root := strings.Index(url, "://") + len("://")
	root += strings.IndexByte(url[root:]+"/", '/') + 1
	path, query, asks := strings.Cut(url[min(root, len(url)):], "?")
	path, slash := strings.CutSuffix(path, "/")
	start := strings.LastIndexByte(path, '/') + 1
	dot := strings.LastIndexByte(path[start:], '.')
	if dot < 0 {
		dot = len(path) - start
	}
	for {
		f.names[url]++
		made := fmt.Sprintf(
			"%s%s~%d%s",
			url[:min(root, len(url))],
			path[:start+dot],
			f.names[url]+1,
			path[start+dot:],
		)
		if slash {
			made += "/"
		}
		if asks {
			made += "?" + query
		}
		if _, taken := f.byURL[made]; !taken {
			return made
		}
	}
}
