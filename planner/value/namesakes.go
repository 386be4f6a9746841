package value

import (
	"math"
	"strings"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// Pages about one thing lie in many directories: a class, its members, its source and its tests, or
// one text in several versions and languages. They change when the thing does, though no address
// shape, directory or section says so. But their names share a word, as Parser in
// api/Parser.html, api/class-use/Parser.html and src-html/parser_8hpp.html.
//
// So the pages of a server whose names have the same longest word are linked in rings of
// mostNamesakes at most, those that became known one after the other. A visit to one tells the
// others what it found beside what was expected of it. That is a random effect as those of server
// and shape are (effects.go), after theirs; it has a trust of its own, as there are webs where
// names say nothing. The next visit to a page ends what it was told. What a page was told counts
// when it is scored next; to score it at once finds as much of main text within chance.
//
// It takes 4 bytes more in the column of a page, and about 20 for each word of a server: real
// histories have 0.24 words a page.
type namesakes struct {
	words groupKeys
	rings []ring // by word: the last one, which may have room for more pages
}

// ring is a circular list of pages, linked by grouped.namesake.
type ring struct {
	page  sitegraph.PageID // any of them
	pages int32            // how many they are
}

const (
	// mostNamesakes bounds the work of a visit. Pages that became known one after the other are
	// alike, and lie together in memory; with rings of 64 as much is found within chance.
	mostNamesakes = 16
	// namesakePrior pulls what namesakes showed toward what was expected of them: it is the a of
	// counts.ratio. With 1 and 2 as much is found.
	namesakePrior = 1.5
	// A word has at least leastWord letters. Only its first mostWord bytes are compared.
	leastWord = 2
	mostWord  = 32
)

// link puts a page that became known into a ring of its namesakes.
func (k *groupIndex) link(p sitegraph.PageID, url string) {
	of := &k.pages[p]
	of.namesake = p
	var letters [mostWord]byte
	word := appendWord(letters[:0], url)
	if len(word) == 0 {
		return
	}
	file := k.corpus.Graph.Scratch()
	n := &k.namesakes
	i, added := n.words.of(sitegraph.GroupKey('w', k.corpus.Graph.Server(p), string(word)), file)
	if added {
		n.rings = scratch.Append(file, n.rings, ring{})
	}
	r := &n.rings[i]
	if r.pages == 0 || r.pages == mostNamesakes {
		*r = ring{page: p, pages: 1}
		return
	}
	r.pages++
	of.namesake = k.pages[r.page].namesake
	k.pages[r.page].namesake = p
}

// appendWord appends the longest word of the name of an address in lower case, the first of those
// of the same length; nothing where there is none. A word is of letters, which are those from a to
// z and all octets beyond ASCII, as addresses write them: %C3%A9. The name is the last segment of
// the path that is not empty, without its extension; a start page has none.
func appendWord(dst []byte, url string) []byte {
	path, _ := pathOf(url)
	path = strings.TrimSuffix(path, "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return dst
	}
	name := path[i+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 && len(name)-i <= len(".html") {
		name = name[:i]
	}
	longest := ""
	for len(name) > 0 {
		i := 0
		for n := letter(name); n > 0; n = letter(name[i:]) {
			i += n
		}
		if word := name[:i]; len(word) >= max(leastWord, len(longest)+1) {
			longest = word
		}
		if name = name[i:]; len(name) > 2 && name[0] == '%' {
			name = name[3:]
		} else if len(name) > 0 {
			name = name[1:]
		}
	}
	for i := range min(len(longest), mostWord) {
		dst = append(dst, longest[i]|0x20)
	}
	return dst
}

// letter is how long the letter is with which a name begins; 0: it begins with none.
func letter(name string) int {
	switch {
	case name == "":
		return 0
	case 'a' <= name[0]|0x20 && name[0]|0x20 <= 'z':
		return 1
	case name[0] == '%' && len(name) > 2 && name[1] >= '8':
		return 3
	}
	return 0
}

// told is what visits to the namesakes of a page found since its own last visit, in two bytes: how
// many there were, how many of them found a change, and the mean of what was expected of them.
type told struct {
	found    uint8 // lower four bits: visits; upper four: those that found a change
	expected uint8 // square root of the mean, in 255ths: a smaller change of it is lost
}

// namesakeVisits is how many visits are counted. At the next one all counts are halved.
const namesakeVisits = 15

func (t told) counts() counts {
	visits, root := float32(t.found&namesakeVisits), float32(t.expected)/math.MaxUint8
	return counts{visits: visits, changed: float32(t.found >> 4), expected: visits * root * root}
}

// see adds a visit that was expected to find a change with some probability.
func (t *told) see(changed bool, expected float32) {
	all := t.counts()
	if all.visits == namesakeVisits {
		half := float32(namesakeVisits/2) / namesakeVisits
		all.visits, all.expected = namesakeVisits/2, half*all.expected
		all.changed = float32(math.Round(float64(half * all.changed)))
	}
	all.visits++
	all.expected += expected
	if changed {
		all.changed++
	}
	root := math.Sqrt(float64(min(all.expected/all.visits, 1)))
	*t = told{
		found:    uint8(all.visits) | uint8(all.changed)<<4,
		expected: uint8(math.Round(root * math.MaxUint8)),
	}
}

// tellNamesakes tells the namesakes of a page whether a visit to it found a change, and how
// probable that was without what namesakes had told. A change lies between the visit and the one
// before it. So namesakes are told that were last visited in the first half of that time, or
// earlier.
func (k *groupIndex) tellNamesakes(l outcome) {
	middle := l.from + (l.to-l.from)/2
	for q := k.pages[l.page].namesake; q != l.page; q = k.pages[q].namesake {
		if of := &k.pages[q]; of.last <= middle {
			of.told.see(l.changed, l.byGroups)
		}
	}
}

// namesakesCount reports whether what namesakes show counts: in streams.
func (v *predictor) namesakesCount() bool {
	return v.Mode == planner.Stream && v.Without != WithoutEffects && v.Without != WithoutNames
}

// withNames is the factor of a page's odds by its groups and by what its namesakes told.
func (v *predictor) withNames(byGroups float32, p sitegraph.PageID, t told) float32 {
	return bounded(byGroups * v.byName(p, t))
}

// byName is the factor of a page's odds for what its namesakes told.
func (v *predictor) byName(p sitegraph.PageID, t told) float32 {
	if t == (told{}) || !v.namesakesCount() {
		return 1
	}
	return power(t.counts().ratio(namesakePrior), v.trustInNames.of(v.Corpus.Graph.Server(p)))
}

// seeNames learns how far to trust what namesakes tell from a visit that was believed to find a
// change with some probability, and tells those of its page.
func (v *predictor) seeNames(l outcome, believed float32) {
	if !v.namesakesCount() {
		return
	}
	if l.told != (told{}) {
		v.trustInNames.see(v.Corpus.Graph.Server(l.page), l.changed, believed,
			l.told.counts().ratio(namesakePrior))
	}
	v.groups.tellNamesakes(l)
}
