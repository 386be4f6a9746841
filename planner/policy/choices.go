package policy

import (
	"slices"
	"strings"
)

// Choice is a policy for the live web, and the case for it.
type Choice struct{ Name, When string }

// Choices are the policies that suit the live web, in the order in which to consider them. Other
// published policies are for evaluations.
var Choices = []Choice{
	{Default, "by default: it finds most changes, and learns what suits a site from its own visits"},
	{"ebayes", "if each decision must follow from a page's own visits and one prior"},
	{"interval", "if each page should have an interval of its own [SAT]"},
	{"freshness", "if copies should be fresh for most of the time, rather than changes be found"},
	{"uniform", "if all pages should be visited equally often"},
	{"ncis", "if feeds and sitemaps announce most changes"},
	{"a", "to visit directory tops first, and members only where a top changed [LINK]"},
	{"b-closure", "as a, if directories link to each other less than inside themselves [LINK]"},
	{"c-closure", "as b-closure, on sites whose start page predicts changes below it [LINK]"},
	{"server-sample", "if whole servers change together, or not at all: samples decide"},
	{"nutch", "to go on with the intervals of Apache Nutch"},
	{"stormcrawler", "to go on with the intervals of Apache StormCrawler"},
	{"calendar-weekly", "if everything is to be crawled once a week, whatever changed"},
	{"calendar-monthly", "if everything is to be crawled once in 30 days"},
}

// ChoiceNames returns the names of Choices.
func ChoiceNames() (names []string) {
	for _, choice := range Choices {
		names = append(names, choice.Name)
	}
	return names
}

// Worthwhile returns the policies worth comparing with each other, sorted: all except variants of
// the default one, and policies that differ from another by one constant or one choice. An
// evaluation includes those if they are named.
func Worthwhile() []string {
	apart := slices.Concat(Variants(), ForObjectives(), []string{
		"sentinel-a", "sentinel-prefix", "sentinel-shape", "sentinel-community", // sentinel-auto
		"prefix", "shape", "community", // auto
		"c-then-b", "c-then-b-closure", // c
		"nutch-default", "stormcrawler-default", "changedetection", "firecrawl-daily", // uniform
		"calendar-weekly", "calendar-monthly",
	})
	return slices.DeleteFunc(Names(), func(name string) bool {
		return slices.Contains(apart, name) || strings.Contains(name, "+")
	})
}
