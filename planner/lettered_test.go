package planner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// lettered is a corpus whose pages have letters, all with a copy of day 0.
type lettered struct {
	*testing.T
	corpus  *Corpus
	page    map[string]sitegraph.PageID
	letter  map[sitegraph.PageID]string
	records []sitegraph.Record
	planner *Planner

	promoted string // letters visited in the last round because the top of their site changed
}

// newLettered makes pages known in a random order of their letters.
func newLettered(t *testing.T, paths map[string]string, edges string, rng *rand.Rand) *lettered {
	g := sitegraph.NewGraph()
	l := &lettered{T: t, page: map[string]sitegraph.PageID{}, letter: map[sitegraph.PageID]string{}}
	var letters []string
	for letter := range paths {
		letters = append(letters, letter)
	}
	slices.Sort(letters)
	rng.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
	for _, letter := range letters {
		p := g.Add("http://example.com" + paths[letter])
		l.page[letter], l.letter[p] = p, letter
	}
	g.AddStart("http://example.com" + paths["R"])
	for _, letter := range letters {
		var links []string
		for _, edge := range strings.Fields(edges) {
			if edge[:1] == letter {
				links = append(links, "http://example.com"+paths[edge[2:]])
			}
		}
		g.SetLinks(l.page[letter], links, nil)
	}
	l.corpus = NewCorpus(g)
	l.records = make([]sitegraph.Record, g.Pages())
	for p := range l.records {
		id := sitegraph.PageID(p)
		l.records[p] = sitegraph.Record{Page: id, URL: g.URL(id), State: sitegraph.StateAlive, Tried: at(0), History: sitegraph.Start(at(0))}
		l.corpus.Remember(&l.records[p])
	}
	return l
}

// visit tells the planner what a visit saw: a page of changed, of gone, or neither.
func (l *lettered) visit(v Visit, changed, gone string) {
	r := &l.records[v.Page]
	o := sitegraph.Observation{Time: l.corpus.Round().End, Outcome: sitegraph.OutcomeFetched, Digests: r.Digests}
	if strings.Contains(changed, l.letter[v.Page]) {
		o.Digests.Bytes = sitegraph.DigestOf([]byte(o.Time.String()))
	}
	if strings.Contains(gone, l.letter[v.Page]) {
		o.Outcome = sitegraph.OutcomeGone
	}
	verdict := r.Apply(o, sitegraph.ChangeByBytes)
	l.planner.Observe(r, verdict)
}

// round makes all visits of a day's round and returns their letters in order.
func (l *lettered) round(day, budget int, changed, gone string) string {
	l.planner.Begin(Round{Number: day, Start: at(day - 1), End: at(day), Budget: budget})
	var order strings.Builder
	l.promoted = ""
	for v, ok := l.planner.Next(); ok; v, ok = l.planner.Next() {
		order.WriteString(l.letter[v.Page])
		if isPromoted(v) {
			l.promoted += l.letter[v.Page]
		}
		l.visit(v, changed, gone)
	}
	return order.String()
}

// isPromoted reports whether a visit is one to a member whose site's top changed.
func isPromoted(v Visit) bool { return strings.HasPrefix(v.Reason.String(), "the top page") }

// without is s less the letters of cut.
func without(s, cut string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(cut, r) {
			return -1
		}
		return r
	}, s)
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// directories are n directories with one top, a lower-case letter linked from R, and members
// linked from the top, upper-case letters and digits.
func directories(n, members int) (paths map[string]string, edges string) {
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

// handBack plays a round in which promoted visits to these pages cannot be made.
func (l *lettered) handBack(day, budget int, pages string) (handed string) {
	l.planner.Begin(Round{Number: day, Start: at(day - 1), End: at(day), Budget: budget})
	for v, ok := l.planner.Next(); ok; v, ok = l.planner.Next() {
		if letter := l.letter[v.Page]; isPromoted(v) && strings.Contains(pages, letter) {
			handed += letter
			l.planner.Return(v)
			continue
		}
		l.visit(v, "", "")
	}
	return handed
}
