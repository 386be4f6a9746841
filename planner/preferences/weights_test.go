package preferences_test

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/preferences"
)

func TestWeights(t *testing.T) {
	w, err := preferences.ParseWeights([]string{"https://Example.com/news/=3",
		"https://example.com/news/old=0", "https://example.com/news/a.html$=7", "*=0.5",
		"https://example.com/q?a=b=4"})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]float64{
		"https://example.com/":               0.5,
		"https://example.com/news/":          3,
		"https://example.com/news/b":         3,
		"https://example.com/news/old/b":     0,
		"https://example.com/news/older":     0,
		"https://example.com/news/a.html":    7,
		"https://example.com/news/a.html?x":  3,
		"https://example.com/q?a=b":          4,
		"http://example.com/news/":           0.5,
		"https://other.example/":             0.5,
		"https://example.com/news/a.html/$b": 3,
	} {
		if got := w.Of(url); got != want {
			t.Errorf("%s weighs %g, want %g", url, got, want)
		}
	}
	for _, text := range []string{"", "3", "https://example.com/", "https://example.com/=",
		"https://example.com/=-1", "https://example.com/=NaN", "https://example.com/=Inf", "news=3",
		"ftp://a.com/=1"} {
		if r, err := preferences.ParseWeight(text); err == nil ||
			!strings.Contains(err.Error(), "want ") {
			t.Errorf("%q is read as %+v, %v", text, r, err)
		}
	}
}
