package watch

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// What rules ask of a planner, in the words of its settings.

// MaxAges returns the greatest ages of copies ("URL=AGE"): those of the rules, then the user's own.
// A nil File has no rules.
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

// Weights returns the weights of changes ("URL=WEIGHT") that rules set. A nil File has none.
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
		if f.focus && r.Prefix != "" { // most sitemaps are there, also for a part of a server
			scheme, rest, _ := strings.Cut(r.Prefix, "://")
			host, _, _ := strings.Cut(rest, "/")
			all = append(all, scheme+"://"+host+"/sitemap.xml$=1")
		}
	}
	return all
}

// Rests calls each with the times when pages are not visited, for pages in the form of MaxAges.
func (f *File) Rests(each func(pages string, minAge time.Duration, hours *preferences.Calendar)) {
	for _, r := range f.Rules {
		if r.MinAge != 0 || r.Hours.Calendar != nil {
			each(r.Pages(), r.MinAge.of(), r.Hours.Calendar)
		}
	}
}

// If a rule has no times, a separate watch visits its pages at least once a day and at most once an
// hour. If a rule has only a greatest age, the watch visits them at most twice within that age.
const (
	usualMaxAge = 24 * time.Hour
	usualMinAge = time.Hour
)

// Focus completes the rules for a separate watch: pages without a rule have no worth.
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
	// hoursRound is the longest round if there are hours. Visits are made in rounds that lie
	// entirely within the hours.
	hoursRound = 5 * time.Minute
)

// Round returns the planning period of a separate watch: the longest whole number of seconds that
// divides a day and keeps these limits. The period is at most an hour, each MinAge, and half of
// each MaxAge. If a rule has hours, the period is at most hoursRound.
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

// PerDay returns the default budget of a separate watch in visits a day: 2,000, and those that
// rules for single pages need.
func (f *File) PerDay() int {
	visits := 2000.0
	for _, r := range f.Rules {
		if r.URL != "" && r.MaxAge != 0 {
			visits += 1.5 * float64(24*time.Hour) / float64(r.MaxAge)
		}
	}
	return int(math.Ceil(visits))
}

// Closed returns the name of a rule whose hours have no room for such a round, or "".
func (f *File) Closed(round time.Duration) string {
	monday := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) // any week
	for _, r := range f.Rules {
		if r.Hours.Calendar == nil || round < time.Minute {
			continue
		}
		open := false
		for at := monday; !open && at.Before(monday.AddDate(0, 0, 8)); at = at.Add(round) {
			open = r.Hours.Open(at, at.Add(round))
		}
		if !open {
			return fmt.Sprintf("rule %q: no round of %s lies within its hours (%v)",
				r.Name, words.Duration(round), r.Hours)
		}
	}
	return ""
}

// Starts returns the start pages of the rules.
func (f *File) Starts() (urls []string) {
	for _, r := range f.Rules {
		urls = append(urls, r.Start())
	}
	return urls
}

// UserAgent returns the user agent of a separate watch, or "" without a contact.
func (f *File) UserAgent(version string) string {
	if f.Contact == "" {
		return ""
	}
	return fmt.Sprintf("recrawl-watch/%s (+%s)", version, f.Contact)
}

// of returns the numbers of the rules for a page, in order.
func (f *File) of(url string) []int {
	found := f.byURL[url]
	for _, i := range f.rest {
		if strings.HasPrefix(url, f.Rules[i].Prefix) {
			found = append(found[:len(found):len(found)], i)
		}
	}
	return found
}

// Watches reports whether a rule covers a page.
func (f *File) Watches(url string) bool { return len(f.of(url)) > 0 }

// NamesPage reports whether a rule names the URL of a page, and not only a prefix. It is for
// fetch.Options.Named, and goroutines may share it. A nil File has no rules.
func (f *File) NamesPage(url string) bool { return f != nil && len(f.byURL[url]) > 0 }

// Texts returns the rules by which a page is read, for fetch.Options.Watch. Goroutines may share
// it. A nil File has none.
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
