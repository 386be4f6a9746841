package watch

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// Events that a rule reports by default.
const (
	TellChanged = "changed" // the text differs
	TellGone    = "gone"    // the page is gone, moved, or may no longer be visited; and its return
	TellNew     = "new"     // a page that was not there before
)

var tellable = []string{TellChanged, TellGone, TellNew}

// Rule is an entry of a file: what to watch, and what to report.
type Rule struct {
	Name   string `yaml:"name"`
	URL    string `yaml:"url"`    // URL of one page
	Prefix string `yaml:"prefix"` // or a prefix of the URLs of several

	// default: changed and gone; gone alone with appears or disappears
	Tell texts `yaml:"tell"`
	// regular expressions (RE2): an event when the text begins to match
	Appears    texts `yaml:"appears"`
	Disappears texts `yaml:"disappears"` // an event when it stops matching
	// an event after this many failed visits in a row; default 3, 0: never
	Errors *int `yaml:"errors"`
	Expect age  `yaml:"expect"` // an event if nothing changes for this long

	Of string `yaml:"of"` // main or text; default: main, or text with select
	// Select and Ignore are CSS selectors, or paths of JSON that begin with $: the parts that
	// count, default all, and those that do not.
	Select     texts `yaml:"select"`
	Ignore     texts `yaml:"ignore"`
	IgnoreText texts `yaml:"ignore-text"` // regular expressions of words that do not count

	MaxAge age     `yaml:"max-age"` // longest time between two visits; 0: the policy decides
	MinAge age     `yaml:"min-age"` // shortest time between two visits
	Hours  hours   `yaml:"hours"`   // when visits may be made
	Weight float64 `yaml:"weight"`  // worth of a change compared with others; default 1

	Quiet age `yaml:"quiet"` // time from the last event to the message; default a minute
	// Most is the longest time from the first event; default half an hour.
	Most age    `yaml:"most"`
	Feed string `yaml:"feed"` // file for an Atom feed of the messages
	To   texts  `yaml:"to"`   // names of targets, or URLs of webhooks

	texts               *extract.Rule
	appears, disappears []*regexp.Regexp
}

const (
	usualErrors = 3
	usualQuiet  = time.Minute
	usualMost   = 30 * time.Minute

	mostRules       = 1000
	mostExpressions = 16 // of a rule
	mostExpression  = 1000
	mostName        = 64
	mostAge         = 400 * 24 * time.Hour
	// leastAge gives rounds, which are half as long, time for a visit.
	leastAge = 10 * time.Second
)

// complete checks and compiles a rule. The error lists all faults.
func (r *Rule) complete() error {
	var wrong []error
	refuse := func(format string, args ...any) {
		wrong = append(wrong, fmt.Errorf(format, args...))
	}
	address := func(key string, text *string) {
		if *text == "" {
			return
		}
		canonical, err := sitegraph.Canonical(*text)
		if err != nil || len(canonical) > sitegraph.MaxURLBytes || strings.HasSuffix(*text, "$") {
			refuse("%s: %.120q is not a web address: write it whole, for example https://example.com/news/",
				key, *text)
			return
		}
		*text = canonical
	}
	address("url", &r.URL)
	address("prefix", &r.Prefix)
	if (r.URL == "") == (r.Prefix == "") {
		refuse("want either url: or prefix:")
	}
	for _, kind := range r.Tell {
		if !slices.Contains(tellable, kind) {
			refuse("tell: %q is none of %s", kind, strings.Join(tellable, ", "))
		}
	}
	if len(r.Tell) == 0 {
		r.Tell = texts{TellChanged, TellGone}
		if len(r.Appears)+len(r.Disappears) > 0 {
			r.Tell = texts{TellGone}
		}
	}
	if r.Errors == nil {
		n := usualErrors
		r.Errors = &n
	}
	if *r.Errors < 0 || *r.Errors > 100 {
		refuse("errors: want 0 to 100")
	}
	for _, of := range []struct {
		key  string
		from texts
		into *[]*regexp.Regexp
	}{{"appears", r.Appears, &r.appears}, {"disappears", r.Disappears, &r.disappears}} {
		if len(of.from) > mostExpressions {
			refuse("%s: want %d expressions or fewer", of.key, mostExpressions)
			continue
		}
		for _, text := range of.from {
			re, err := regexp.Compile(text)
			if err != nil || len(text) > mostExpression || text == "" {
				refuse("%s: %.60q is not a regular expression of RE2 with 1 to %d octets",
					of.key, text, mostExpression)
				continue
			}
			*of.into = append(*of.into, re)
		}
	}
	for _, a := range []struct {
		key string
		age age
	}{{"max-age", r.MaxAge}, {"min-age", r.MinAge}, {"expect", r.Expect}} {
		if a.age != 0 && (a.age.of() < leastAge || a.age.of() > mostAge) {
			refuse("%s: want %v to %.0fd", a.key, leastAge, mostAge.Hours()/24)
		}
	}
	if r.MaxAge != 0 && r.MinAge > r.MaxAge {
		refuse("min-age: want no more than max-age, %v", r.MaxAge.of())
	}
	if r.Weight < 0 || r.Weight > 1e9 {
		refuse("weight: want 0 to 1e9")
	}
	if r.Quiet == 0 {
		r.Quiet = age(usualQuiet)
	}
	if r.Most == 0 {
		r.Most = max(age(usualMost), r.Quiet)
	}
	if r.Most < r.Quiet || r.Quiet < 0 || r.Most.of() > mostAge {
		refuse("quiet, most: want most to be no less than quiet, and both no more than %.0fd",
			mostAge.Hours()/24)
	}
	if len(r.To) == 0 && r.Feed == "" {
		refuse("want to: with targets, or feed: with a file")
	}
	if err := r.makeTexts(); err != nil {
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

func (r *Rule) makeTexts() (err error) {
	of := r.Of
	if of == "" && len(r.Select) == 0 {
		of = "main"
	}
	if of == "bytes" {
		return errors.New(`of: want "main" or "text"`)
	}
	spec := extract.RuleSpec{Part: of, IgnoreText: r.IgnoreText}
	var paths extract.JSONRuleSpec
	spec.Watch, paths.Watch = apart(r.Select)
	spec.Ignore, paths.Ignore = apart(r.Ignore)
	if len(paths.Watch)+len(paths.Ignore) > 0 {
		spec.JSON = &paths
	}
	r.texts, err = extract.NewRule(spec)
	return err
}

// apart separates CSS selectors from paths of JSON.
func apart(texts texts) (selectors, paths []string) {
	for _, text := range texts {
		if strings.HasPrefix(text, "$") {
			paths = append(paths, text)
		} else {
			selectors = append(selectors, text)
		}
	}
	return selectors, paths
}

func (r *Rule) tells(kind string) bool { return slices.Contains(r.Tell, kind) }

// Pages returns the pages in the form of weights and greatest ages: a prefix, or with "$" one URL.
func (r *Rule) Pages() string {
	if r.URL != "" {
		return r.URL + "$"
	}
	return r.Prefix
}

// Start returns the page at which the rule starts.
func (r *Rule) Start() string {
	if r.URL != "" {
		return r.URL
	}
	return r.Prefix
}
