package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Lettered is a corpus whose pages have letters, all with a copy of day 0.
type Lettered struct {
	*testing.T
	Pages   *planner.Pages
	Page    map[string]sitegraph.PageID
	Letter  map[sitegraph.PageID]string
	Records []sitegraph.Record
	Planner *planner.Planner

	Promoted string // letters visited in the last round because the top of their site changed
}

// NewLettered adds pages in a random order of their letters.
func NewLettered(t *testing.T, paths map[string]string, edges string, rng *rand.Rand) *Lettered {
	g := sitegraph.NewGraph()
	l := &Lettered{T: t, Page: map[string]sitegraph.PageID{}, Letter: map[sitegraph.PageID]string{}}
	var letters []string
	for letter := range paths {
		letters = append(letters, letter)
	}
	slices.Sort(letters)
	rng.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
	for _, letter := range letters {
		p := g.Add("http://example.com" + paths[letter])
		l.Page[letter], l.Letter[p] = p, letter
	}
	g.AddStart("http://example.com" + paths["R"])
	for _, letter := range letters {
		var links []string
		for _, edge := range strings.Fields(edges) {
			if edge[:1] == letter {
				links = append(links, "http://example.com"+paths[edge[2:]])
			}
		}
		g.SetLinks(l.Page[letter], links, nil)
	}
	l.Pages = planner.NewPages(g)
	l.Records = make([]sitegraph.Record, g.Pages())
	for p := range l.Records {
		id := sitegraph.PageID(p)
		l.Records[p] = Seen(id, g.URL(id))
		l.Pages.Remember(&l.Records[p])
	}
	return l
}

// Seen returns the record of a page that was visited once, at the start.
func Seen(p sitegraph.PageID, url string) sitegraph.Record {
	return sitegraph.Record{
		Page:    p,
		URL:     url,
		State:   sitegraph.StateAlive,
		Tried:   At(0),
		History: sitegraph.Start(At(0)),
		Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte("first"))},
	}
}

// Visit reports the outcome of a visit to the planner: a page of changed, of gone, or neither.
func (l *Lettered) Visit(v planner.Visit, changed, gone string) {
	r := &l.Records[v.Page]
	o := sitegraph.Observation{
		Time:    l.Pages.Round().End,
		Outcome: sitegraph.OutcomeFetched,
		Digests: r.Digests,
	}
	if strings.Contains(changed, l.Letter[v.Page]) {
		o.Digests.Bytes = sitegraph.DigestOf([]byte(o.Time.String()))
	}
	if strings.Contains(gone, l.Letter[v.Page]) {
		o.Outcome = sitegraph.OutcomeGone
	}
	verdict := r.Apply(o, sitegraph.ChangeByBytes)
	l.Planner.Observe(r, verdict)
}

// Round makes all visits of a day's round and returns their letters in order.
func (l *Lettered) Round(day, budget int, changed, gone string) string {
	l.Planner.Begin(planner.Round{Number: day, Start: At(day - 1), End: At(day), Budget: budget})
	var order strings.Builder
	l.Promoted = ""
	for v, ok := l.Planner.Next(); ok; v, ok = l.Planner.Next() {
		order.WriteString(l.Letter[v.Page])
		if IsPromoted(v) {
			l.Promoted += l.Letter[v.Page]
		}
		l.Visit(v, changed, gone)
	}
	return order.String()
}

// IsPromoted reports whether a visit is to a member whose site's top changed.
func IsPromoted(v planner.Visit) bool {
	return strings.HasPrefix(v.Reason.String(), "the top page")
}

// Less returns s without the letters of cut.
func Less(s, cut string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(cut, r) {
			return -1
		}
		return r
	}, s)
}

func Sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// Directories returns n directories with one top, a lower-case letter linked from R, and members
// linked from the top, upper-case letters and digits.
func Directories(n, members int) (paths map[string]string, edges string) {
	const names = "ABCDEFGHIJKLMNOPQSTUVWXYZ0123456789!#$%&()*+,-./:;<=?@"
	paths = map[string]string{"R": "/"}
	for i := range n {
		top := string(rune('a' + i))
		paths[top] = "/" + top + "/"
		edges += " R>" + top
		for j := range members {
			member := names[i*members+j : i*members+j+1]
			paths[member] = fmt.Sprintf("/%s/%d", top, j)
			edges += " " + top + ">" + member
		}
	}
	return paths, edges
}

// HandBack plays a round in which promoted visits to these pages cannot be made.
func (l *Lettered) HandBack(day, budget int, pages string) (handed string) {
	l.Planner.Begin(planner.Round{Number: day, Start: At(day - 1), End: At(day), Budget: budget})
	for v, ok := l.Planner.Next(); ok; v, ok = l.Planner.Next() {
		if letter := l.Letter[v.Page]; IsPromoted(v) && strings.Contains(pages, letter) {
			handed += letter
			l.Planner.Return(v)
			continue
		}
		l.Visit(v, "", "")
	}
	return handed
}
