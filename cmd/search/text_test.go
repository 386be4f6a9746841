package search

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/fetch/corpus"
	"github.com/recrawl/recrawl/planner/preferences"
)

// TestWeighedText checks that the planner can read the list of weights.
func TestWeighedText(t *testing.T) {
	var list strings.Builder
	if err := weighedText(&corpus.Weighed{By: "results", Pages: []corpus.PageWeight{
		{URL: "http://a.example/p7", Weight: 25}, {URL: "http://a.example/p8"}}},
		&list); err != nil {
		t.Fatal(err)
	}
	l, err := preferences.ReadListed(strings.NewReader(list.String()))
	if err != nil || l.Pages() != 2 || l.Of("http://a.example/p7") != 25 ||
		l.Of("http://a.example/p8") != 0 {
		t.Errorf("%s\n%v", list.String(), err)
	}
}
