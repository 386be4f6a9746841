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

// What a rule may tell without more being said of it.
const (
	TellChanged = "changed" // the text differs
	TellGone    = "gone"    // it is gone, moved, or may no longer be visited; and that it is back
	TellNew     = "new"     // a page that was not there before
)

var tellable = []string{TellChanged, TellGone, TellNew}

// Rule is what is watched and told, as it is written in a file.
type Rule struct {
	Name   string `yaml:"name"`
	URL    string `yaml:"url"`    // of one page
	Prefix string `yaml:"prefix"` // or the beginning of the addresses of several

	// default: changed and gone; gone alone beside appears or disappears
	Tell texts `yaml:"tell"`
	// regular expressions (RE2): told when the text begins to match
	Appears    texts `yaml:"appears"`
	Disappears texts `yaml:"disappears"` // told when it ceases to
	// told after so many failed visits in a row; default 3, 0: never
	Errors *int `yaml:"errors"`
	Expect age  `yaml:"expect"` // told if nothing changes for so long

	Of string `yaml:"of"` // main or text; default: main, and text beside select
	// CSS selectors of what counts, of JSON paths that begin with $; default: all
	Select     texts `yaml:"select"`
	Ignore     texts `yaml:"ignore"`      // likewise of what does not
	IgnoreText texts `yaml:"ignore-text"` // regular expressions of words that do not

	MaxAge age     `yaml:"max-age"` // longest time between two visits; 0: the policy decides
	MinAge age     `yaml:"min-age"` // shortest
	Hours  hours   `yaml:"hours"`   // when visits may be made
	Weight float64 `yaml:"weight"`  // what a change is worth beside others; default 1

	Quiet age `yaml:"quiet"` // a message is sent so long after the last event; default a minute
	// and so long after the first one at the latest; default half an hour
	Most age    `yaml:"most"`
	Feed string `yaml:"feed"` // file for an Atom feed of what is told
	To   texts  `yaml:"to"`   // names of targets, or addresses of services

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
	// leastAge keeps rounds, which are half as long, long enough for a visit.
	leastAge = 10 * time.Second
)

// complete checks a rule, and makes what it is applied by. The error says all that is wrong.
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
			refuse("%s: %.120q is no web address: write it whole, as https://example.com/news/",
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

// apart tells CSS selectors from paths of JSON.
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

// Pages is what weights and greatest ages name the pages by: a prefix, with "$" one address.
func (r *Rule) Pages() string {
	if r.URL != "" {
		return r.URL + "$"
	}
	return r.Prefix
}

// Start is the page at which the rule begins.
func (r *Rule) Start() string {
	if r.URL != "" {
		return r.URL
	}
	return r.Prefix
}
