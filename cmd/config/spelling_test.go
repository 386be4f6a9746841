package config_test

import (
	"testing"

	"github.com/recrawl/recrawl/cmd/config"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"budjet", "budget", 1},
		{"kitten", "sitting", 3}, {"saturday", "sunday", 3},
	} {
		if got := config.Distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := config.Distance(c.b, c.a); got != c.want {
			t.Errorf("from %q to %q: %d, want %d as the other way round", c.b, c.a, got, c.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"budget", "round", "rounds"}
	for word, want := range map[string]string{
		"budjet":   `did you mean "budget"?`,
		"roundz":   `did you mean "round"?`, // the first of equally near ones
		"weekends": "known are: budget, round, rounds",
	} {
		if got := config.Suggest(word, known); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}
