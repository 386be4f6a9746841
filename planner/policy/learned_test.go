package policy

import (
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// rememberChanged gives each page the weeks of change in its masks; all were visited in 12 weeks.
func rememberChanged(l *simtest.Lettered, changed map[string]uint32) {
	for letter, p := range l.Page {
		h := sitegraph.Start(simtest.At(-12 * 7))
		for week := 11; week >= 0; week-- {
			h.See(simtest.At(-7*week), changed[letter]>>week&1 == 1, simtest.At(-400))
		}
		if h.WeeksSeen != 1<<12-1 || h.WeeksChanged != changed[letter] {
			l.Fatalf("%s: weeks %b, changed %b; want %b",
				letter, h.WeeksSeen, h.WeeksChanged, changed[letter])
		}
		l.Records[p].History, l.Records[p].Tried = h, simtest.At(0)
		l.Pages.Remember(&l.Records[p])
	}
}

func divisionOf(l *simtest.Lettered, name string) []string {
	l.Pages.Graph.Refresh()
	d := newDivision(l.Pages, methods[name])
	d.update()
	var sites []string
	d.eachSite(allServers, func(site *site) {
		sites = append(sites, simtest.Sorted(lettersOf(l, site.Tops))+">"+
			simtest.Sorted(lettersOf(l, site.Members)))
	})
	return sites
}

func lettersOf(l *simtest.Lettered, pages []sitegraph.PageID) (s string) {
	for _, p := range pages {
		s += l.Letter[p]
	}
	return s
}

// The directory /p/ has its index I as top, by depth. N predicts when its pages change.
var (
	newsPages = map[string]string{"R": "/", "I": "/p/", "N": "/p/news", "A": "/p/a", "B": "/p/b",
		"C": "/p/c"}
	newsLinks = "R>I I>N I>A I>B I>C"
)

const everyThird = 0b001001001001

func TestSentinels(t *testing.T) {
	for _, c := range []struct {
		name string
		past map[string]uint32
		want string // the site of /p/: tops>members
	}{
		{"no past: the top of the directory", nil, "I>ABCN"},
		{"the page that changes with the others",
			map[string]uint32{"N": everyThird, "A": everyThird, "B": everyThird, "C": everyThird},
			"A>BCIN"},
		{"... and not the home page, which changes always",
			map[string]uint32{"I": 1<<12 - 1, "N": everyThird, "A": everyThird, "B": everyThird,
				"C": everyThird}, "A>BCIN"},
		{"news tell of all, each page of itself", map[string]uint32{"N": 0b111000111000,
			"A": 0b111000000000, "B": 0b000000111000, "C": 0b111000111000}, "C>ABIN"},
		{"alone in changing, it tells nothing", map[string]uint32{"I": everyThird}, "I>ABCN"},
		{"in turns is not together", map[string]uint32{"N": 0b101010101010, "A": 0b010101010101},
			"I>ABCN"},
		{"two that tell of different pages", map[string]uint32{"N": 0b110000000000,
			"I": 0b000000110000, "A": 0b110000000000, "B": 0b000000110000, "C": 0b110000110000},
			"C>ABIN"},
	} {
		for seed := range uint64(5) { // in any order of discovery
			l := simtest.NewLettered(t, newsPages, newsLinks, rand.New(rand.NewPCG(seed, 1)))
			rememberChanged(l, c.past)
			got := divisionOf(l, "sentinel-a")
			if len(got) != 2 || got[0] != "R>" || got[1] != c.want {
				t.Errorf("%s: %q, want R> and %s", c.name, got, c.want)
			}
		}
	}
}

// Of sites by address shape and by directory, auto chooses those whose pages changed together.
func TestAutoTakesWhatPredicts(t *testing.T) {
	pages := map[string]string{"R": "/"}
	edges := ""
	byPlace, byName := map[string]uint32{}, map[string]uint32{}
	for i, letter := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		dir, name, past := "/x/", "1.html", uint32(everyThird)
		if i >= 4 {
			dir, name, past = "/y/", "2.html", everyThird<<1
		}
		if i%2 == 1 {
			name = name[:1] + ".pdf"
		}
		pages[letter] = dir + string(rune('1'+i)) + name
		edges += " R>" + letter
		byPlace[letter] = past
		byName[letter] = []uint32{everyThird, everyThird << 1}[i%2]
	}
	l := simtest.NewLettered(t, pages, edges, rand.New(rand.NewPCG(1, 1)))
	for _, c := range []struct {
		past map[string]uint32
		want map[string]bool // sites that must exist, as letters of tops and members
	}{
		{byPlace, map[string]bool{"ABCD": true, "EFGH": true}},
		{byName, map[string]bool{"ACEG": true, "BDFH": true}},
	} {
		rememberChanged(l, c.past)
		found := map[string]bool{}
		d := newDivision(l.Pages, methods["auto"])
		l.Pages.Graph.Refresh()
		d.update()
		d.eachSite(allServers, func(site *site) {
			found[simtest.Sorted(lettersOf(l, site.Tops)+lettersOf(l, site.Members))] = true
		})
		for site := range c.want {
			if !found[site] {
				t.Errorf("no site %s among %v", site, found)
			}
		}
	}
}

// Learnt sites are made anew after four more weeks, and not before.
func TestLearnedSitesAreMadeAnew(t *testing.T) {
	l := simtest.NewLettered(t, newsPages, newsLinks, rand.New(rand.NewPCG(1, 1)))
	l.Pages.Graph.Refresh()
	d := newDivision(l.Pages, methods["sentinel-a"])
	top := func(day int) bool {
		l.Pages.Begin(planner.Round{Number: 24 * day, Start: simtest.At(day - 1),
			End: simtest.At(day)})
		d.update()
		return d.siteWithTop(l.Page["A"]) != nil
	}
	if top(1) {
		t.Error("A is a top before anything changed")
	}
	rememberChanged(l, map[string]uint32{"N": everyThird, "A": everyThird, "B": everyThird,
		"C": everyThird})
	if top(27) {
		t.Error("sites were made anew within four weeks")
	}
	if !top(28) || d.siteWithTop(l.Page["I"]) != nil {
		t.Error("after four weeks A is no top, or I still is")
	}
}
