package synth

import (
	"fmt"
	"time"
)

// blog is an index of the latest posts, an archive page for each month, and the posts, each in the
// directory of its month.
type blog struct {
	index   *page
	months  map[string]*group
	last    *page // the newest post
	posts   int
	perWeek float64
}

// blogLatest is the number of posts in an index.
const blogLatest = 10

// buildBlog makes a blog with about n pages, whose posts go back in time at its own rate.
func (b *builder) buildBlog(root *group, n int) {
	g := &group{dir: "/blog/"}
	index := b.add("/blog/", kindBlog, g)
	index.title, index.up, g.hub = "blog", root.hub, index
	root.hub.children = append(root.hub.children, index)
	b.groups = append(b.groups, g)
	if b.style.nav {
		b.nav = append(b.nav, index)
	}
	b.blog = &blog{index: index, months: map[string]*group{}, perWeek: 0.3 + 1.2*b.rng.Float64()}
	gap := weekSeconds / b.blog.perWeek
	count := max(3, n*4/5)
	for k := count; k > 0; k-- {
		b.post(b.start - int64(gap*(float64(k)-0.4*b.rng.Float64())))
	}
}

// post writes a post at a time, perhaps before the window. It lists it in the index and in its
// month, which may be new.
func (b *builder) post(at int64) *page {
	day := time.Unix(at, 0).UTC()
	dir := fmt.Sprintf("/blog/%04d/%02d/", day.Year(), day.Month())
	month := b.blog.months[dir]
	if month == nil {
		month = &group{dir: dir}
		month.hub = b.add(dir, kindArchive, month)
		month.hub.title = day.Format("January 2006")
		month.hub.up = b.blog.index
		b.blog.index.children = append(b.blog.index.children, month.hub)
		b.blog.months[dir] = month
		b.groups = append(b.groups, month)
	}
	b.blog.posts++
	word := words[60+b.rng.IntN(len(words)-60)]
	p := b.add(fmt.Sprintf("%s%s-%d.html", dir, word, b.blog.posts), kindPost, month)
	p.title = word + " " + words[60+b.rng.IntN(len(words)-60)]
	p.modified = at
	p.up = month.hub
	if b.now == 0 { // older than the window, like the pages that list it
		month.hub.modified, b.blog.index.modified = at+step, at+2*step
	}
	if b.blog.last != nil {
		p.related = append(p.related, b.blog.last)
	}
	b.blog.last = p
	month.members = append(month.members, p)
	month.hub.children = append(month.hub.children, p)
	b.blog.index.news = append(b.blog.index.news, item{int32(max(at-b.start, -1<<31)), p})
	return p
}

// liveBlog posts through the window, at about equal steps. The top page announces a post if it
// changes at about that time. The index and the month change with every post.
func (b *builder) liveBlog() {
	if b.blog == nil {
		return
	}
	gap := weekSeconds / b.blog.perWeek
	last := int32(0)
	for t := gap * b.rng.Float64(); t < float64(b.end); t += gap * (0.4 + 1.2*b.rng.Float64()) {
		at, told := b.snap(int32(t), 3*step)
		if at <= last+daySeconds/4 || at+3*step >= b.end {
			continue
		}
		last = at
		b.now = at
		p := b.post(b.start + int64(at))
		p.modified = 0
		if month := p.group.hub; month.born != at { // a month born with its post already lists it
			b.touch(month, at+step, causeList)
		}
		b.touch(b.blog.index, at+2*step, causeList)
		b.retell(at + 2*step)
		if told {
			b.addNewsLine(at+3*step, p)
		}
		if b.rng.Float64() < 0.3 { // a correction, or the first comments
			b.touch(p, at+int32(b.rng.IntN(10*daySeconds))+daySeconds, causeEdit)
		}
	}
	b.now = 0
}

// retell moves the newest line of the index to the time of the index's version.
func (b *builder) retell(at int32) { b.blog.index.news[len(b.blog.index.news)-1].at = at }
