package watch

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/planner/preferences"
)

// What rules ask of a planner, in the words of its settings.

// MaxAges are the greatest ages of copies ("ADDRESS=AGE"): those of the rules, and behind them the
// user's own. Nil has no rules.
func (f *File) MaxAges(own []string) (all []string) {
	if f == nil {
		return own
	}
	for _, r := range f.Rules {
		if r.MaxAge != 0 {
			all = append(all, fmt.Sprintf("%s=%v", r.Pages(), r.MaxAge.of()))
		}
	}
	return append(all, own...)
}

// Weights are what a change is worth ("ADDRESS=WEIGHT"), where a rule says so. Nil has none.
func (f *File) Weights() (all []string) {
	if f == nil {
		return nil
	}
	if f.focus {
		all = append(all, "*=0")
	}
	for _, r := range f.Rules {
		switch {
		case r.Weight != 0:
			all = append(all, fmt.Sprintf("%s=%g", r.Pages(), r.Weight))
		case f.focus:
			all = append(all, r.Pages()+"=1")
		}
		if f.focus && r.Prefix != "" { // where most sitemaps are, also of a part of a server
			scheme, rest, _ := strings.Cut(r.Prefix, "://")
			host, _, _ := strings.Cut(rest, "/")
			all = append(all, scheme+"://"+host+"/sitemap.xml$=1")
		}
	}
	return all
}

// Rests are the times at which pages are not visited, by address as MaxAges has it.
func (f *File) Rests(each func(pages string, minAge time.Duration, hours *preferences.Calendar)) {
	for _, r := range f.Rules {
		if r.MinAge != 0 || r.Hours.Calendar != nil {
			each(r.Pages(), r.MinAge.of(), r.Hours.Calendar)
		}
	}
}

// A watch of its own visits a page of a rule that says nothing of it at least once a day, and at
// most once an hour; with a greatest age alone, at most twice in it.
const (
	usualMaxAge = 24 * time.Hour
	usualMinAge = time.Hour
)

// Focus completes the rules for a watch of its own. Then no page is worth anything that no rule is
// of.
func (f *File) Focus() {
	f.focus = true
	for _, r := range f.Rules {
		if r.MaxAge == 0 {
			r.MaxAge = max(age(usualMaxAge), r.MinAge)
		}
		if r.MinAge == 0 {
			r.MinAge = min(age(usualMinAge), max(r.MaxAge/2, age(leastAge)))
		}
	}
}

const (
	longestRound = time.Hour
	// hoursRound is the longest round where there are hours: visits are made in rounds that lie
	// within them as a whole.
	hoursRound = 5 * time.Minute
)

// Round is the planning period that a watch of its own needs: half of the shortest time between two
// visits at most, and a part of a day.
func (f *File) Round() time.Duration {
	most := longestRound
	for _, r := range f.Rules {
		if r.MaxAge != 0 {
			most = min(most, r.MaxAge.of()/2)
		}
		if r.MinAge != 0 {
			most = min(most, r.MinAge.of())
		}
		if r.Hours.Calendar != nil {
			most = min(most, hoursRound)
		}
	}
	for parts := 24; parts <= 86400; parts++ {
		if round := 24 * time.Hour / time.Duration(parts); 86400%parts == 0 && round <= most {
			return round
		}
	}
	return time.Second
}

// PerDay is how many visits a day a watch of its own may make, unless it is told: 2,000, and what
// the pages with an address of their own need.
func (f *File) PerDay() int {
	visits := 2000.0
	for _, r := range f.Rules {
		if r.URL != "" && r.MaxAge != 0 {
			visits += 1.5 * float64(24*time.Hour) / float64(r.MaxAge)
		}
	}
	return int(math.Ceil(visits))
}

// Closed says which rule has hours in which no round of so long has room; "": none has.
func (f *File) Closed(round time.Duration) string {
	monday := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) // any week will do
	for _, r := range f.Rules {
		if r.Hours.Calendar == nil || round < time.Minute {
			continue
		}
		open := false
		for at := monday; !open && at.Before(monday.AddDate(0, 0, 8)); at = at.Add(round) {
			open = r.Hours.Open(at, at.Add(round))
		}
		if !open {
			return fmt.Sprintf("rule %q: no round of %v lies within its hours (%v)",
				r.Name, round, r.Hours)
		}
	}
	return ""
}

// Starts are the pages at which the rules begin.
func (f *File) Starts() (urls []string) {
	for _, r := range f.Rules {
		urls = append(urls, r.Start())
	}
	return urls
}

// UserAgent is that of a watch of its own; "" without a contact.
func (f *File) UserAgent(version string) string {
	if f.Contact == "" {
		return ""
	}
	return fmt.Sprintf("recrawl-watch/%s (+%s)", version, f.Contact)
}

// of are the numbers of the rules for a page, in order.
func (f *File) of(url string) []int {
	found := f.byURL[url]
	for _, i := range f.rest {
		if strings.HasPrefix(url, f.Rules[i].Prefix) {
			found = append(found[:len(found):len(found)], i)
		}
	}
	return found
}

// Watches reports whether a rule is of a page.
func (f *File) Watches(url string) bool { return len(f.of(url)) > 0 }

// NamesPage reports whether a rule has the address of a page, and not only its beginning. It is for
// fetch.Options.Named, and safe for concurrent use; nil has no rules.
func (f *File) NamesPage(url string) bool { return f != nil && len(f.byURL[url]) > 0 }

// Texts are the rules by which a page is read, for fetch.Options.Watch. Safe for concurrent use;
// nil has none.
func (f *File) Texts(url string) []*extract.Rule {
	if f == nil {
		return nil
	}
	var found []*extract.Rule
	for _, i := range f.of(url) {
		found = append(found, f.Rules[i].texts)
	}
	return found
}
