package papers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/evaltest"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// PageOf is lab.FiguresPage; that package imports this one.
var PageOf func(*Figures) report.Page

var seeds, repeat, asJSON = evaltest.Seeds, evaltest.Repeat, evaltest.JSON

const week = 7 * 24 * time.Hour

// t0 is the start of the windows of all test servers.
const t0 = 1_000_000_000

// life is a page: its path, the weeks in which its content changes, and the paths that it links to.
type life struct {
	path    string
	changes []int
	links   []string
}

// server returns a server. A life with "gone" as its only link vanishes in its weeks.
func server(name string, lives ...life) *history.Server {
	var pages []*history.Page
	for _, l := range lives {
		p := &history.Page{URL: "http://" + name + l.path}
		vanishes := slices.Equal(l.links, []string{"gone"})
		for _, w := range append([]int{0}, l.changes...) {
			v := history.Version{T: t0 + int64(w)*int64(week/time.Second), Size: 100,
				LinksKnown: true,
				Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf(
					[]byte(fmt.Sprint(l.path, w)))}}
			for _, link := range l.links {
				v.Links = append(v.Links, "http://"+name+link)
			}
			if vanishes {
				v.Links = nil
				if w > 0 {
					v = history.Version{T: v.T, Gone: true}
				}
			}
			p.Versions = append(p.Versions, v)
		}
		pages = append(pages, p)
	}
	return history.NewServer(name, t0, pages)
}

func corpusOf(t testing.TB, base int, servers ...*history.Server) *eval.Dataset {
	t.Helper()
	c, err := eval.NewDataset(t.Context(), servers, eval.Options{Base: time.Duration(base) * week})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func figuresOf(t testing.TB, c *eval.Dataset, o FiguresOptions) *Figures {
	t.Helper()
	f, err := NewFigures(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func asHTML(t testing.TB, f *Figures) string {
	t.Helper()
	var b strings.Builder
	if err := PageOf(f).HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// asText returns the output of a terminal.
func asText(t testing.TB, f *Figures) string {
	t.Helper()
	var b strings.Builder
	for _, s := range PageOf(f).Sections {
		for _, table := range s.Tables {
			if err := table.Text(&b); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

// byHand returns two servers, seen from week 0 on. A star marks a page that changes in week 1.
//
//	a.org  /*        > /n/ /s/ /old
//	       /n/*      > /n/1* /n/2        depth 2, top of /n/ by every method
//	       /s/       > /s/1*             depth 2, top of /s/
//	       /n/1*     > /d/               depth 3
//	       /d/*      > /d/1*             depth 4, its upper site is that of /n/
//	       /old      vanishes in week 1
//	b.org  /         > /1* /2 /3
func byHand() []*history.Server {
	changed := []int{1}
	return []*history.Server{
		server("a.org", life{"/", changed, []string{"/n/", "/s/", "/old"}},
			life{"/n/", changed, []string{"/n/1", "/n/2"}}, life{"/n/1", changed, []string{"/d/"}},
			life{"/n/2", nil, nil},
			life{"/s/", nil, []string{"/s/1"}}, life{"/s/1", changed, nil},
			life{"/d/", changed, []string{"/d/1"}}, life{"/d/1", changed, nil},
			life{"/old", changed, []string{"gone"}}),
		server("b.org", life{"/", nil, []string{"/1", "/2", "/3"}}, life{"/1", changed, nil},
			life{"/2", nil, nil}, life{"/3", nil, nil}),
	}
}

// randomServer grows a tree of directories with cross links. Pages change at different rates from
// week 0 on, tops more often than others; some vanish.
func randomServer(name string, rng *rand.Rand) *history.Server {
	dirs := []string{"/"}
	for d := range rng.IntN(5) {
		dirs = append(dirs, dirs[rng.IntN(len(dirs))]+fmt.Sprintf("d%d/", d))
	}
	lives := make([]life, 0, 30)
	for _, dir := range dirs {
		lives = append(lives, life{path: dir})
		for p := range rng.IntN(6) {
			lives = append(lives, life{path: fmt.Sprintf("%sp%d", dir, p)})
		}
	}
	busy := rng.Float64()
	for i := range lives {
		if i > 0 { // an earlier page links to it
			from := &lives[rng.IntN(i)]
			from.links = append(from.links, lives[i].path)
		}
		if rng.IntN(3) == 0 {
			lives[i].links = append(lives[i].links, lives[rng.IntN(len(lives))].path)
		}
		for w := 1; w < 14; w++ {
			if rng.Float64() < busy*busy/2 {
				lives[i].changes = append(lives[i].changes, w)
			}
		}
	}
	for i := range lives {
		if i > 0 && len(lives[i].links) == 0 && rng.IntN(6) == 0 {
			lives[i].changes, lives[i].links = []int{1 + rng.IntN(12)}, []string{"gone"}
		}
		lives[i].links = slices.DeleteFunc(lives[i].links, func(l string) bool {
			return l == lives[i].path
		})
	}
	return server(name, lives...)
}

func randomServers(seed uint64) []*history.Server {
	rng := rand.New(rand.NewPCG(seed, 18))
	var all []*history.Server
	for s := range 1 + rng.IntN(9) {
		all = append(all, randomServer(fmt.Sprintf("s%d.%s",
			s, []string{"org", "com"}[rng.IntN(2)]), rng))
	}
	return all
}

// renamed returns a copy of a server under another name.
func renamed(s *history.Server, name string) *history.Server {
	to := func(url string) string {
		return strings.Replace(url, "http://"+s.Name+"/", "http://"+name+"/", 1)
	}
	var pages []*history.Page
	for _, p := range s.Pages {
		q := &history.Page{URL: to(p.URL)}
		for _, v := range p.Versions {
			v.Links = slices.Clone(v.Links)
			for i := range v.Links {
				v.Links[i] = to(v.Links[i])
			}
			q.Versions = append(q.Versions, v)
		}
		pages = append(pages, q)
	}
	return history.NewServer(name, s.T0, pages)
}
